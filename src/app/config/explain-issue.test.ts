import { expect, test } from 'vitest';
import { configInput } from '../../contract/index.js';
import { explainIssue } from './explain-issue.js';

function explain(file: unknown): string | undefined {
  const issue = configInput.safeParse(file).error?.issues[0];
  return issue && explainIssue(issue);
}

const connector = (fields: object) => ({ connectors: { a: { command: 'node', ...fields } } });

test.each<readonly [unknown, string]>([
  [{ sever: {} }, 'the file: Unrecognized key: "sever" (did you mean "server"?)'],
  [{ server: { prot: 1 } }, 'server: Unrecognized key: "prot" (did you mean "port"?)'],
  [{ server: { public_url: 'x' } }, 'server: Unrecognized key: "public_url" (did you mean "publicUrl"?)'],
  [connector({ agrs: [] }), 'connectors.a: Unrecognized key: "agrs" (did you mean "args"?)'],
  [
    connector({ timeouts: { requestMS: 1 } }),
    'connectors.a.timeouts: Unrecognized key: "requestMS" (did you mean "requestMs"?)',
  ],
  [
    { limits: { perAgent: { perSecnd: 1 } } },
    'limits.perAgent: Unrecognized key: "perSecnd" (did you mean "perSecond"?)',
  ],
  [{ auth: { issuers: [{ isuer: 'https://a' }] } }, expect.stringContaining('auth.issuers.0') as string],
  [{ nonsense: 1 }, 'the file: Unrecognized key: "nonsense"'],
  [{ x: 1 }, 'the file: Unrecognized key: "x"'],
  [
    connector({ env: { A: 1 } }),
    'connectors.a.env.A: Invalid input: expected string, received number (put it in quotes)',
  ],
  [
    connector({ args: 'a b' }),
    'connectors.a.args: Invalid input: expected array, received string (write a list: [one, two])',
  ],
  [connector({ env: { A: null } }), 'connectors.a.env.A: Invalid input: expected string, received null'],
])('%j', (file, expected) => {
  expect(explain(file)).toEqual(expected);
});
