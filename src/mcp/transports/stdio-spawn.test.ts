import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, expect, test, vi } from 'vitest';

import { closePeers, faultOf, openPeer, peerScript } from '../../../test/support/stdio/peers.js';
import { Recorder } from '../../../test/support/stdio/recorder.js';
import { StdioTransport } from './stdio.js';

afterEach(closePeers);

test('C48, B3.2, P-10: the child sees the allow-list and its own variables, nothing else', async () => {
  vi.stubEnv('HUB_SECRET', 'canary');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('NODE_V8_COVERAGE', '');
  const { call, heard } = await openPeer(['echo.mjs'], { env: { API_KEY: 'k', HOME: '/nowhere' } });
  await call(1, 'env');
  const seen = (await heard.answer(1)) as Record<string, string>;
  expect(seen).toMatchObject({ API_KEY: 'k', HOME: '/nowhere', PATH: process.env['PATH'] });
  const others = Object.keys(seen).filter(
    (name) => !/^(API_KEY|PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR)$/.test(name),
  );
  expect(others).toEqual([]);
});

test('B3.2: an unsafe variable is refused before anything is started', async () => {
  const spawn = vi.fn<() => never>();
  const options = { command: process.execPath, env: { NODE_OPTIONS: '--inspect' }, spawn };
  const error = await faultOf(new StdioTransport(options).start(new Recorder()));
  expect(error).toMatchObject({ code: 'STDIO_SPAWN_FAILED', mayHaveArrived: false });
  expect(error.message).toContain('NODE_OPTIONS');
  expect(spawn).not.toHaveBeenCalled();
  const { call, heard } = await openPeer(['echo.mjs'], {
    env: { NODE_OPTIONS: '--no-warnings' },
    allowUnsafeEnv: true,
  });
  await call(1, 'env');
  expect(await heard.answer(1)).toMatchObject({ NODE_OPTIONS: '--no-warnings' });
});

test('C48, B3.3: shell metacharacters arrive literally, as one argument each', async () => {
  const args = [
    'a b',
    "it's",
    '"quoted"',
    '; rm -rf /',
    '$(id)',
    '`id`',
    '$HOME',
    '*',
    '|',
    '&&',
    '\\',
    '',
    'ü\n😀',
    '%PATH%',
    '-c',
  ];
  const { call, heard } = await openPeer(['echo.mjs', ...args]);
  await call(1, 'where');
  expect(await heard.answer(1)).toMatchObject({ argv: args });
});

test('C48, B3.4: the child runs in the given folder, in a group of its own', async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'stdio-')));
  try {
    const { call, heard, transport } = await openPeer(['echo.mjs'], { cwd });
    await call(1, 'where');
    expect(await heard.answer(1)).toMatchObject({ cwd, pid: transport.pid });
    const [, , group] = readFileSync(`/proc/${transport.pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
    expect(Number(group)).toBe(transport.pid);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test('B3.4: the child inherits nothing but its three pipes', async () => {
  const opened = openSync(peerScript('echo.mjs'), 'r');
  try {
    // What whoever started this process left open in it for everyone: beyond our reach.
    const leftOpen = readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2 && isInheritable(fd));
    const script = `printf '{"jsonrpc":"2.0","method":"fds","params":{"fds":"%s"}}\\n' "$(ls /proc/$$/fd | tr '\\n' ' ')"`;
    const { heard } = await openPeer([], { command: '/bin/sh', args: ['-c', script] });
    const message = await heard.notification('fds');
    const fds = 'params' in message ? JSON.stringify(message.params).match(/\d+/g) : [];
    // The shell reads its substitution through a pipe of its own, which has the lowest numbers that are free.
    const own = Array.from({ length: 32 }, (_, index) => String(index + 3))
      .filter((fd) => !leftOpen.includes(fd))
      .slice(0, 2);
    const others = fds?.filter((fd) => Number(fd) > 2 && !own.includes(fd));
    expect(own).not.toContain(String(opened));
    expect(others?.toSorted()).toEqual(leftOpen.toSorted());
  } finally {
    closeSync(opened);
  }
});

function isInheritable(fd: string): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & 0o2000000) === 0;
  } catch {
    return false;
  }
}

test.each([
  ['a program that does not exist', { command: 'no-such-program-anywhere' }, 'ENOENT'],
  ['a folder that does not exist', { command: process.execPath, cwd: '/no/such/folder' }, 'ENOENT'],
  ['a file that is no program', { command: peerScript('echo.mjs') }, 'EACCES'],
  ['an argument with NUL', { command: process.execPath, args: ['a\0b'] }, 'ERR_INVALID_ARG_VALUE'],
])('P-7: %s fails the start', async (_name, options, why) => {
  const transport = new StdioTransport({ args: ['--token=tell-nobody'], ...options });
  const heard = new Recorder();
  const error = await faultOf(transport.start(heard));
  expect(error).toMatchObject({ code: 'STDIO_SPAWN_FAILED', mayHaveArrived: false });
  expect(error.message).toContain(why);
  expect(JSON.stringify(error) + String(error.cause)).not.toContain('tell-nobody');
  expect(await faultOf(transport.send({ text: '{}', method: 'x' }))).toMatchObject({ mayHaveArrived: false });
  await transport.close();
  expect(heard.endings).toEqual([]);
});
