import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { HubError } from '../kernel/index.js';
import { toStartFailure } from './start-failure.js';

/** What listening at a place fails with. */
function listenFailure(port: number, host: string): Promise<Error> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => reject(new Error('it listens'))));
  });
}

test('a port that is in use is named', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { readonly port: number };
  const { message, exitCode } = toStartFailure(await listenFailure(port, '127.0.0.1'));
  taken.close();
  expect([message, exitCode]).toEqual([`port ${port} is in use: choose another with --port`, 1]);
});

test('so is an address that is not of this machine', async () => {
  expect(toStartFailure(await listenFailure(0, '192.0.2.1')).message).toContain('192.0.2.1');
});

test('so is a name that nobody knows, as a whole address is', async () => {
  expect(toStartFailure(await listenFailure(0, 'http://127.0.0.1')).message).toBe(
    '"http://127.0.0.1" is no name or address of this machine: choose another with --host',
  );
});

test.each(['EACCES', 'EROFS'])('a folder that cannot be written is named: %s', (code) => {
  const error = Object.assign(new Error(`${code}: mkdir`), { code, path: '/srv/hub/.crosspoint' });
  expect(toStartFailure(error).message).toBe(
    'not allowed to write /srv/hub/.crosspoint: choose another data folder with --data',
  );
});

test('a folder that can be written and belongs to somebody else is told apart from one that cannot', () => {
  const error = Object.assign(new Error('EPERM: chmod'), { code: 'EPERM', syscall: 'chmod', path: '/data' });
  expect(toStartFailure(error).message).toBe(
    '/data belongs to another user: choose a folder in it with --data, and the hub makes it',
  );
});

test.each([
  ['/dev/null/hub', 'ENOTDIR'],
  ['/dev/null', 'EEXIST'],
])('a place where no folder can be is named: %s', (path, code) => {
  let failure: unknown;
  try {
    mkdirSync(path);
  } catch (error) {
    failure = error;
  }
  expect(toStartFailure(failure).message).toBe(
    `no folder can be made at ${path} (${code}): choose another data folder with --data`,
  );
});

test('what is not known is told as the system tells it', () => {
  expect(toStartFailure(Object.assign(new Error('EMFILE: open'), { code: 'EMFILE' })).message).toBe(
    'EMFILE: open',
  );
});

test('a wrong configuration ends with 78', () => {
  expect(toStartFailure(new HubError('config_invalid', 'why'))).toMatchObject({
    message: 'why',
    exitCode: 78,
  });
});

test('a store out of reach is told with the code of the reason, and with nothing else of it', () => {
  const refused = Object.assign(new Error('connect to db:5432 as secret'), { code: 'ECONNREFUSED' });
  const told = (cause: unknown) =>
    toStartFailure(new HubError('storage_unavailable', 'the store cannot be used', { cause })).message;
  expect(told(refused)).toBe('the store cannot be used (ECONNREFUSED)');
  expect(told(new Error('wrapped', { cause: refused }))).toBe('the store cannot be used (ECONNREFUSED)');
  expect(told(undefined)).toBe('the store cannot be used');
  const sqlite = (errcode: number) => Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR', errcode });
  expect(told(sqlite(13))).toBe('the store cannot be used (the disk is full)');
  expect(told(sqlite(4874))).toBe('the store cannot be used (SQLite 4874)');
});

test('what cannot be reached is told with where it is looked for, without its secrets', () => {
  const failure = new HubError('storage_unavailable', 'the store cannot be used');
  const places = (storageUrl: string, coordinationUrl = 'memory:') => ({ storageUrl, coordinationUrl });
  const told = (storageUrl: string, coordinationUrl?: string) =>
    toStartFailure(failure, places(storageUrl, coordinationUrl)).hint;
  expect(
    told('postgres://hub:s3cret@db.example.com:5433/hub?sslkey=s3cret', 'redis://:s3cret@cache:6379'),
  ).toBe(
    'Look whether it runs, can be reached from here and lets the hub in: storage.url leads to db.example.com:5433, coordination.url leads to cache:6379.',
  );
  expect(told('sqlite:/srv/hub.db')).toBeUndefined();
  expect(told('postgres:///hub')).toContain('storage.url leads to this machine');
  expect(toStartFailure(failure).hint).toBeUndefined();
});
