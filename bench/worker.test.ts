import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startWorker } from './worker.js';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-worker-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, code: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}

function isAlive(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

const OBEDIENT = `
  process.send({ id: 'start', value: process.pid });
  process.on('message', ({ id, name, value }) => {
    if (name === 'double') process.send({ id, value: value * 2 });
    else if (name === 'die') process.exit(3);
    else process.send({ id, error: 'no such order' });
  });`;

test('takes orders, and is gone when closed', async () => {
  const worker = await startWorker({ file: program('obedient', OBEDIENT), core: undefined });
  expect(await worker.order('double', 21)).toBe(42);
  await expect(worker.order('dance')).rejects.toThrow('no such order');
  expect(isAlive(worker.started)).toBe(true);
  await worker.close();
  await worker.close();
  expect(isAlive(worker.started)).toBe(false);
  await expect(worker.order('double', 1)).rejects.toThrow('has ended');
});

test('does not keep anybody waiting when it dies', async () => {
  const worker = await startWorker({ file: program('mortal', OBEDIENT), core: undefined });
  await expect(worker.order('die')).rejects.toThrow('a worker ended: exit 3');
  await worker.close();
});

test('is killed when it does not want to go', async () => {
  const file = program('stubborn', `${OBEDIENT}\nsetInterval(() => {}, 1000);`);
  const worker = await startWorker({ file, core: undefined });
  await worker.close();
  expect(isAlive(worker.started)).toBe(false);
});

test('that cannot start says so', async () => {
  const file = program('broken', 'process.exit(7);');
  await expect(startWorker({ file, core: undefined })).rejects.toThrow('a worker ended: exit 7');
});
