import { expect, test } from 'vitest';
import { parseConnector } from '../connectors/index.js';
import { StderrTail } from './stderr-tail.js';
import { secretsOfProcess } from './without-secrets.js';

test('of a secret of several lines none is shown, however it is printed', () => {
  const key = '-----BEGIN KEY-----\nMIGHAgEAMBMGByqG\r\nSM49AgEGCCqGSM49\n-----END KEY-----\n';
  const tail = new StderrTail([key]);
  for (const line of [
    'cannot read the key:',
    ...key.split(/\r?\n/),
    `it is ${JSON.stringify('MIGHAgEAMBMGByqG')}`,
  ])
    tail.push(line);
  expect(tail.lines()).toEqual(['cannot read the key:', '***', '***', '***', '***', '', 'it is "***"']);
});

test('the password in an address that a process was given is not shown by itself either', () => {
  const input = { command: 'node', env: { DATABASE_URL: 'postgres://app:hunter22@db/app' } };
  const { endpoint } = parseConnector('c', input, { source: 'file', now: 0 });
  const tail = new StderrTail(secretsOfProcess(endpoint));
  tail.push('postgres://app:hunter22@db/app refused user app with hunter22');
  expect(tail.lines()).toEqual(['*** refused user app with ***']);
});

test('the last lines are kept', () => {
  const tail = new StderrTail();
  for (let n = 1; n <= 1_000; n++) tail.push(`line ${n}`);
  expect(tail.lines()).toHaveLength(200);
  expect(tail.lines().at(-1)).toBe('line 1000');
});
