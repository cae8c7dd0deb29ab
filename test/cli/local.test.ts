import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.js';

const SECRETS = {
  ADMIN: 'admin-secret-0123456789abcdef',
  AGENT: 'agent-secret-0123456789abcdef',
  DB: 'db-secret-0123456789abcdef',
  FILES: 'files-secret-0123456789abcdef',
};
const CONFIG = `
server: { port: 9999, maxBodyBytes: 8192 }
storage: { url: "postgres://hub:pg-secret-01234567@db.example.com/hub" }
admin: { token: "\${env:ADMIN}" }
agents:
  ci: { keys: ["\${env:AGENT}"] }
connectors:
  db:
    url: https://db.example.com/mcp?api_key=query-secret-01234567
    auth: { type: bearer, token: "\${env:DB}" }
  files:
    command: node
    args: [server.mjs, --token, "\${env:FILES}"]
    env: { FILES_TOKEN: "\${env:FILES}" }
policies: ["./policies/*.cedar"]
`;

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
});
afterAll(() => place?.close());

test('B3.5: a command is pinned, with the scripts it names, as they are now', async () => {
  const folder = place.path('pinned');
  mkdirSync(folder);
  writeFileSync(join(folder, 'server.mjs'), 'export {};');
  writeFileSync(join(folder, 'notes.txt'), 'may change');
  const add = (id: string, ...command: string[]) =>
    place.run(['connector', 'add', id, '--pin', '--', ...command], { folder });
  expect(await add('notes', process.execPath, 'server.mjs', 'notes.txt')).toMatchObject({ code: 0 });
  const digest = createHash('sha256').update('export {};').digest('hex');
  const file = readFileSync(join(folder, 'crosspoint.yaml'), 'utf8');
  expect(file.match(/^ {6}\S+: [0-9a-f]{64}$/gm)).toEqual([
    expect.stringContaining(`${process.execPath}: `) as string,
    `      ./server.mjs: ${digest}`,
  ]);
  expect(await add('other', 'no-such-program')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no-such-program is no program in PATH') as string,
  });
});

test('a command for a file that cannot be written names the file', async () => {
  // Nobody may make a file there, not even root.
  const args = ['connector', 'add', 'more', '--config', '/sys/crosspoint.yaml', '--', 'node', 'server.mjs'];
  const { code, stderr } = await place.run(args);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/\/sys\/crosspoint\.yaml cannot be written \(E\w+\)\n.*--config/),
  ]);
});

describe('config', () => {
  let folder: string;
  beforeAll(() => {
    folder = place.path('configured');
    mkdirSync(join(folder, 'policies'), { recursive: true });
    writeFileSync(join(folder, 'crosspoint.yaml'), CONFIG);
    writeFileSync(
      join(folder, 'policies', 'ci.cedar'),
      'permit(principal == Agent::"ci", action, resource);',
    );
  });

  test('check tells what is there', async () => {
    const { code, stdout } = await place.run(['config', 'check'], { folder, env: SECRETS });
    expect([code, stdout]).toEqual([
      0,
      'crosspoint.yaml is valid: 2 connectors, 1 agent, 1 policy document.\n',
    ]);
  });

  test('show tells every value with its source, and no secret', async () => {
    const env = { ...SECRETS, CROSSPOINT_LOG_LEVEL: 'warn' };
    const { code, stdout, stderr } = await place.run(['config', 'show', '--data', 'elsewhere'], {
      folder,
      env,
    });
    expect(code).toBe(0);
    for (const secret of [...Object.values(SECRETS), 'pg-secret', 'query-secret'])
      expect(stdout + stderr).not.toContain(secret);
    expect(stdout).toMatch(/^dataDir +flag +\S+\/elsewhere$/m);
    expect(stdout).toMatch(/^logLevel +environment +warn$/m);
    expect(stdout).toMatch(/^server\.port +file +9999$/m);
    expect(stdout).toMatch(/^server\.host +default +127\.0\.0\.1$/m);
    expect(stdout).toMatch(/^storage\.url +file +postgres:\/\/hub:\*\*\*@db\.example\.com\/hub$/m);
    expect(stdout).toMatch(/^admin\.token +file +\*\*\*$/m);
    expect(stdout).toMatch(/^policies +file +\["ci"\]$/m);
    const lines = await place.json<{ path: string; value: unknown; source: string }[]>(['config', 'show'], {
      folder,
      env,
    });
    expect(lines).toContainEqual({
      path: 'connectors.db',
      source: 'file',
      value: expect.objectContaining({ url: 'https://db.example.com/mcp?api_key=***' }),
    });
    expect(lines).toContainEqual({
      path: 'connectors.files',
      source: 'file',
      value: expect.objectContaining({ arguments: 3, env: { FILES_TOKEN: '***' } }),
    });
  });

  test('schema describes the file', async () => {
    const schema = await place.json<object>(['config', 'schema']);
    const validate = new Ajv({ strict: false, formats: { uri: true } }).compile(schema);
    expect(validate({ server: { port: 1 }, connectors: { a: { command: 'x' } } })).toBe(true);
    expect(validate({ server: { port: 'many' } })).toBe(false);
    expect(validate({ nonsense: 1 })).toBe(false);
  });

  test.each<readonly [string, string, string]>([
    ['an unknown key', 'nonsense: 1', 'nonsense'],
    ['a line that is no YAML', 'server: [', 'line 1'],
    [
      'a variable that is not set',
      'admin: { token: "${env:NOT_SET_HERE}" }',
      '${env:NOT_SET_HERE}: the variable is not set',
    ],
    ['fields of the other transport', 'connectors: { a: { url: "http://a", command: b } }', 'connectors.a.'],
    ['a policy file that is missing', 'policies: [missing.cedar]', 'there is no such file'],
  ])('%s ends check with 78 and one line', async (_, text, message) => {
    const bad = place.path('bad.yaml');
    writeFileSync(bad, text);
    const { code, stdout, stderr } = await place.run(['config', 'check', '--config', bad]);
    expect([code, stdout, stderr]).toEqual([78, '', expect.stringContaining(message)]);
  });

  test('serve does not start with it either', async () => {
    const { code, stdout, stderr } = await place.run(['serve', '--port', '0', '--config', 'bad.yaml']);
    expect([code, stdout, stderr]).toEqual([78, '', expect.stringContaining('there is no such file')]);
  });

  test('a file that is named and does not exist: 78', async () => {
    expect(await place.run(['config', 'check', '--config', 'none.yaml'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('there is no such file'),
    });
  });

  // Below /proc the system takes no folder, and says of each that the one above is missing.
  test.each(
    process.platform === 'linux' ? ['taken.txt', 'taken.txt/below', '/proc/hub/data'] : ['taken.txt'],
  )('a data folder that cannot be, %s: one line', async (data) => {
    writeFileSync(place.path('taken.txt'), '');
    const { code, stdout, stderr } = await place.run(['serve', '--port', '0', '--data', data]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^crosspoint: no folder can be made at .*: choose another data folder with --data\n$/,
    );
  });

  test('beyond loopback without a token of the operator: 78', async () => {
    expect(await place.run(['serve', '--host', '0.0.0.0', '--port', '0'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('refusing to listen on 0.0.0.0'),
    });
  });
});

test('a hub whose store takes no sign-in link is ready all the same', async () => {
  await (await place.serve(['--data', 'linkless'])).stop();
  const store = new DatabaseSync(place.path('linkless', 'hub.db'));
  store.exec(
    "create trigger refuse before insert on tickets when new.kind = 'sign-in-link' begin select raise(abort, 'no'); end",
  );
  store.close();
  const hub = await place.serve(['--data', 'linkless']);
  expect(JSON.parse(hub.stdout())).toMatchObject({ event: 'ready', consoleUrl: `${hub.url}/sign-in` });
  await hub.stop();
});

describe('backup and restore', () => {
  test('what was saved beside a running hub comes back in another folder', async () => {
    const hub = await place.serve(['--data', 'one']);
    await place.json(['agent', 'add', 'kept', '--data', 'one']);
    const saved = await place.run(['backup', 'hub.backup', '--data', 'one']);
    expect([saved.code, saved.stdout]).toEqual([0, 'Wrote hub.backup.\n']);
    expect(statSync(place.path('hub.backup')).mode & 0o777).toBe(0o600);
    expect(await place.run(['backup', 'nowhere/hub.backup', '--data', 'one'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be written: there is no such folder'),
    });
    expect(await place.run(['backup', 'hub.backup', '--data', 'one'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already'),
    });
    expect(await place.run(['restore', 'hub.backup', '--data', 'one', '--replace'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the hub is running'),
    });
    await hub.stop();

    expect(await place.run(['restore', 'hub.backup', '--data', 'two'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('there is no master key'),
    });
    mkdirSync(place.path('two'), { mode: 0o700 });
    cpSync(place.path('one', 'master.key'), place.path('two', 'master.key'));
    expect(await place.run(['restore', 'hub.backup', '--data', 'two'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored \d+ records from hub\.backup\.$/m),
    });
    const other = await place.serve(['--data', 'two']);
    expect(await place.json(['agent', 'show', 'kept', '--data', 'two'])).toMatchObject({ id: 'kept' });
    await other.stop();
  });

  test('a store that is there is only replaced when asked for, and then kept aside', async () => {
    expect(await place.run(['restore', 'hub.backup', '--data', 'one'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--replace'),
    });
    const { movedTo } = await place.json<{ movedTo: string }>([
      'restore',
      'hub.backup',
      '--data',
      'one',
      '--replace',
    ]);
    expect(existsSync(movedTo)).toBe(true);
    writeFileSync(place.path('broken.backup'), 'not a backup');
    const before = readFileSync(place.path('one', 'hub.db'));
    expect(await place.run(['restore', 'broken.backup', '--data', 'one', '--replace'])).toMatchObject({
      code: expect.any(Number),
      stdout: '',
    });
    expect(readFileSync(place.path('one', 'hub.db')).equals(before)).toBe(true);
  });

  test('nothing is moved under a hub that runs and cannot be found', async () => {
    const hub = await place.serve(['--data', 'one']);
    rmSync(place.path('one', 'hub.json'));
    const touched: (string | null)[] = [];
    const watcher = watch(place.path('one'), (_, name) => touched.push(name));
    expect(await place.run(['restore', 'hub.backup', '--data', 'one', '--replace'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('another hub uses this store'),
    });
    watcher.close();
    expect(touched.filter((name) => name?.includes('before'))).toEqual([]);
    await hub.stop();
  });

  test('a backup from before the master key was changed says which key it needs, and comes back with it', async () => {
    const key = place.path('two', 'master.key');
    const old = readFileSync(key, 'utf8');
    const hub = await place.serve(['--data', 'two']);
    await place.json(['master-key', 'rotate', '--data', 'two']);
    await hub.stop();
    const before = readFileSync(place.path('two', 'hub.db'));
    expect(await place.run(['restore', 'hub.backup', '--data', 'two', '--replace'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('put it behind the present one, in a line of its own'),
    });
    expect(readFileSync(place.path('two', 'hub.db')).equals(before)).toBe(true);
    writeFileSync(key, `${readFileSync(key, 'utf8').trim()}\n${old}`);
    expect(await place.run(['restore', 'hub.backup', '--data', 'two', '--replace'])).toMatchObject({
      code: 0,
    });
    const again = await place.serve(['--data', 'two']);
    expect(await place.json(['agent', 'show', 'kept', '--data', 'two'])).toMatchObject({ id: 'kept' });
    await again.stop();
  });
});
