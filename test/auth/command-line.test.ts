import { expect, test } from 'vitest';
import type { Cli } from '../../src/cli/cli.js';
import { runCli } from '../../src/cli/run-cli.js';
import { createTerminal } from '../../src/cli/terminal/terminal.js';
import { passProvider } from '../support/identity-provider.js';
import { signIn } from '../support/oauth-client.js';
import { startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import { closeAfterEach } from '../support/resources.js';

/** `crosspoint connector connect` against a real authorization server, without a screen to open a browser on. */

const keep = closeAfterEach();

function run({ hub }: AccountHub, args: readonly string[]) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    ({ write: (text: string) => (texts[name] += text) }) as unknown as NodeJS.WriteStream;
  let code = 0;
  const stdin = {} as NodeJS.ReadStream;
  const environment = { CROSSPOINT_URL: hub.url, CROSSPOINT_ADMIN_TOKEN: hub.adminToken };
  const cli: Cli = {
    terminal: createTerminal({ stdin, stdout: stream('stdout'), stderr: stream('stderr'), environment }),
    environment,
    folder: hub.folder,
    stdin,
    setExitCode: (given) => (code = given),
  };
  const done = runCli(cli, args).then(() => ({ code, ...texts }));
  return { texts, done };
}

/** Follows the address that was printed until a page stays. */
async function visit(
  { provider }: AccountHub,
  texts: { readonly stderr: string },
  headers: Record<string, string> = {},
): Promise<string> {
  await expect.poll(() => texts.stderr, { timeout: 15_000 }).toMatch(/http\S+/);
  const address = /http\S+/.exec(texts.stderr)?.[0] ?? '';
  expect(address.startsWith(provider.issuer)).toBe(true);
  const back = await passProvider(address, provider.issuer);
  return (await fetch(back, { headers })).text();
}

test('prints the address, waits, and stores the account of an agent', async () => {
  const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
  const { texts, done } = run(given, [
    'connector',
    'connect',
    'tracker',
    '--agent',
    'alice',
    '--account',
    'work',
  ]);
  expect(await visit(given, texts)).toContain('connected');
  expect(await done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Stored the account of alice') as string,
  });
  expect(texts.stdout).toContain("Discovered 2 tools from 'Tracker'.");
  expect(texts.stdout + texts.stderr).not.toMatch(/confirmation/);
  const shown = await run(given, ['connector', 'show', 'tracker']).done;
  expect(shown.stdout).toMatch(/alice \(.*work.*\)/);
  given.provider.records.removeAll('AccessToken');
  given.provider.records.removeAll('RefreshToken');
  await given.ask('POST', '/tools/call', { agent: 'alice', name: 'tracker__look', arguments: {} });
  expect((await run(given, ['connector', 'show', 'tracker']).done).stdout).toContain('needs sign in');
  expect((await run(given, ['connector', 'list']).done).stdout).toContain('needs sign-in');
});

test('says why where the person refuses', async () => {
  const given = await startAccountHub(keep);
  given.provider.agrees = false;
  const { texts, done } = run(given, ['connector', 'connect', 'tracker', '--no-browser']);
  expect(await visit(given, texts)).toContain('not connected');
  const { code, stderr } = await done;
  expect(code).toBe(1);
  expect(stderr).not.toContain('script>');
  expect(given.provider.tokenCalls()).toEqual([]);
});

test('ends with a word for it where the browser is signed in as somebody else', async () => {
  const given = await startAccountHub(keep);
  const { texts, done } = run(given, ['connector', 'connect', 'tracker', '--no-browser']);
  const { cookie } = await signIn(given.hub, given.hub.localKey);
  expect(await visit(given, texts, { cookie })).toContain('begun by somebody else');
  const { code, stderr } = await done;
  expect(code).toBe(1);
  expect(stderr).toContain('signed in at the hub as somebody else');
  expect(given.provider.tokenCalls()).toEqual([]);
});

test('wants to know whose account it is', async () => {
  const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
  const { code, stderr } = await run(given, ['connector', 'connect', 'tracker']).done;
  expect(code).toBe(2);
  expect(stderr).toContain('--agent');
});

test('accounts are listed, chosen and ended one by one; what ends is revoked', async () => {
  const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
  const { ask, connect, provider, upstream } = given;
  for (const account of ['work', 'private']) {
    provider.person = account;
    expect((await connect({ agent: 'alice', account })).status).toBe(200);
  }
  const command = (...args: readonly string[]) => run(given, ['connector', ...args]).done;
  const look = () => ask('POST', '/tools/call', { agent: 'alice', name: 'tracker__look', arguments: {} });

  const { stdout } = await command('account', 'tracker');
  expect(stdout).toMatch(/^alice +private +no +valid +\S.* read$/m);
  expect(stdout).toMatch(/^alice +work +yes +valid +\S.* read$/m);
  await look();
  expect(await command('account', 'tracker', 'private', '--agent', 'alice')).toMatchObject({
    code: 0,
    stdout: 'Calls of alice to tracker are made with the account private.\n',
  });
  await look();
  expect(upstream.served.map(({ person }) => person)).toEqual(['work', 'private']);

  expect(await command('disconnect', 'tracker', '--agent', 'alice')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/several accounts of alice: private, work[^]*--account/) as string,
  });
  expect(provider.records.count('RefreshToken')).toBe(2);
  const ended = await command('disconnect', 'tracker', '--agent', 'alice', '--account', 'private');
  expect([ended.code, ended.stdout]).toEqual([0, 'Removed the account private of alice from tracker.\n']);
  await expect.poll(() => provider.records.count('RefreshToken')).toBe(1);
  const last = await command('disconnect', 'tracker', '--agent', 'alice', '--json');
  expect(JSON.parse(last.stdout)).toEqual({
    connector: 'tracker',
    owner: 'alice',
    account: 'work',
    removed: true,
  });
  await expect.poll(() => provider.records.count('RefreshToken')).toBe(0);
  expect(JSON.parse((await command('account', 'tracker', '--json')).stdout)).toEqual([]);
});

test.each([
  [['account', 'nothing'], 'there is no connector nothing'],
  [['disconnect', 'nothing'], 'there is no connector nothing'],
  [['account', 'tracker', 'work'], 'there is no such account'],
  [['disconnect', 'tracker'], 'tracker has no account of everybody'],
  [['disconnect', 'tracker', '--agent', 'nobody'], 'tracker has no account of nobody'],
  [['disconnect', 'tracker', '--account', 'work'], 'account'],
])('%j is refused where there is nothing', async (args, message) => {
  const given = await startAccountHub(keep);
  const { code, stdout, stderr } = await run(given, ['connector', ...args]).done;
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
});

test('where each agent signs in for itself, whoever asks for accounts is told how', async () => {
  const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
  const { code, stderr } = await run(given, ['connector', 'account', 'tracker']).done;
  expect([code, stderr]).toEqual([0, expect.stringContaining('connector connect tracker --agent AGENT')]);
});
