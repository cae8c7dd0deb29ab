import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type * as WorkerThreads from 'node:worker_threads';
import { Checkpoints } from './checkpoints.js';

const { system } = vi.hoisted(() => ({ system: { hasThreads: true } }));

vi.mock('node:worker_threads', async (importOriginal) => {
  const threads = await importOriginal<typeof WorkerThreads>();
  return {
    ...threads,
    Worker: class extends threads.Worker {
      constructor(...given: ConstructorParameters<typeof threads.Worker>) {
        if (!system.hasThreads) throw new Error('ERR_WORKER_INIT_FAILED');
        super(...given);
      }
    },
  };
});

let folder: string;
let path: string;
let db: InstanceType<typeof DatabaseSync>;
let checkpoints: Checkpoints;
let failures: Error[];
const MEGABYTE = 1024 * 1024;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-checkpoints-'));
  path = join(folder, 'hub.db');
  db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table t (text)');
  failures = [];
  checkpoints = new Checkpoints(path, (error) => failures.push(error));
});

afterEach(async () => {
  system.hasThreads = true;
  vi.useRealTimers();
  await checkpoints.close();
  if (db.isOpen) db.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(megabytes: number): void {
  db.prepare('insert into t values (?)').run('x'.repeat(megabytes * MEGABYTE));
  checkpoints.wrote(megabytes * MEGABYTE);
}

const fileBytes = (): number => statSync(path).size;

test('what is written goes from the log into the file when it is some megabytes, and again and again', async () => {
  write(2);
  expect(fileBytes()).toBeLessThan(MEGABYTE);
  for (let megabytes = 4; megabytes <= 24; megabytes += 4) {
    write(megabytes === 4 ? 2 : 4);
    await vi.waitFor(() => expect(fileBytes()).toBeGreaterThan(megabytes * MEGABYTE), 5_000);
  }
  // It is begun anew as soon as all of it is in the file, so it does not grow for ever.
  expect(statSync(`${path}-wal`).size).toBeLessThan(16 * MEGABYTE);
  expect(failures).toEqual([]);
});

test('when it is closed nobody has the file open, also in the middle of a copy', async () => {
  write(4);
  await checkpoints.close();
  db.exec('pragma journal_mode = delete');
  db.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(fileBytes()).toBeGreaterThan(4 * MEGABYTE);
});

test('closing waits also for a thread that ends because it was idle', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  write(4);
  await vi.waitFor(() => expect(fileBytes()).toBeGreaterThan(4 * MEGABYTE), 5_000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 5_000);
  vi.advanceTimersByTime(10_000);
  await checkpoints.close();
  expect(db.prepare('pragma journal_mode = delete').get()).toEqual({ journal_mode: 'delete' });
});

test('F34: without a thread nothing fails, and the next megabytes try again', async () => {
  system.hasThreads = false;
  write(4);
  expect(fileBytes()).toBeLessThan(MEGABYTE);
  system.hasThreads = true;
  write(4);
  await vi.waitFor(() => expect(fileBytes()).toBeGreaterThan(8 * MEGABYTE), 5_000);
});

test('nothing is begun after it is closed', async () => {
  await checkpoints.close();
  write(4);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(fileBytes()).toBeLessThan(MEGABYTE);
});

test('what fails is told with its code', async () => {
  db.close();
  rmSync(path);
  const missing = new Checkpoints(join(folder, 'none', 'hub.db'), (error) => failures.push(error));
  missing.wrote(4 * MEGABYTE);
  await vi.waitFor(() => expect(failures).toMatchObject([{ code: 'ERR_SQLITE_ERROR', errcode: 14 }]), 5_000);
  // It is tried again with the next megabytes, and closing does not wait for it.
  missing.wrote(4 * MEGABYTE);
  await vi.waitFor(() => expect(failures).toHaveLength(2), 5_000);
  await missing.close();
});
