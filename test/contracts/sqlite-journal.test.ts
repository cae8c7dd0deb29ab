import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifyChain, type HubEvent } from '../../src/governance/index.js';
import { restoreStorage } from '../../src/storage/index.js';
import { appendAll, finished, intended, masterKeys, nextRecords, started } from './examples.js';
import { useSqliteFiles, type StorePlace } from './store-place.js';

/** Events are kept in a journal first and become rows behind. */

const places = useSqliteFiles();
const pathOf = ({ url }: StorePlace): string => url.slice('sqlite:'.length);
const journalOf = (place: StorePlace): string => `${pathOf(place)}-events`;

/** The files of a store as they are in this moment. */
function copyFiles(running: StorePlace, left: StorePlace): void {
  mkdirSync(dirname(pathOf(left)), { mode: 0o700 });
  for (const suffix of ['', '-wal', '-events'])
    copyFileSync(`${pathOf(running)}${suffix}`, `${pathOf(left)}${suffix}`);
}

/** The files as a hub leaves them that ends at once, with `count` events that are no rows yet. */
async function crashed(count: number, durability: 'process' | 'disk' = 'process'): Promise<StorePlace> {
  const running = await places.create();
  const storage = await running.open({ durability });
  const rows = Array.from({ length: 3 }, () => started);
  await appendAll(storage.events, rows);
  await storage.events.count();
  await storage.events.query({ limit: 1, order: 'newest' });
  await appendAll(
    storage.events,
    Array.from({ length: count }, () => started),
  );
  const left = await places.create();
  copyFiles(running, left);
  return left;
}

const allEvents = async (place: StorePlace) => verifyChain((await place.open()).events);

test('a group is full early only where it need not wait for the disk', async () => {
  const fullGroupOf = async (durability: 'process' | 'disk') =>
    (await (await places.create()).open({ durability })).events.fullGroup;
  expect(await fullGroupOf('process')).toBeGreaterThan(0);
  expect(await fullGroupOf('disk')).toBeUndefined();
});

test('large events become rows after their turn, however few they are', async () => {
  const place = await places.create();
  const { events } = await place.open();
  const intent = intended('large') as Extract<HubEvent, { readonly type: 'call.intended' }>;
  await appendAll(events, [{ ...intent, arguments: { bytes: 1, sealed: 'x'.repeat(2_000_000) } }]);
  expect(statSync(journalOf(place)).size).toBeGreaterThan(2_000_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(statSync(journalOf(place)).size).toBe(0);
});

test('events of which many come in one turn become rows after it, and in it where they are very many', async () => {
  const place = await places.create();
  const { events } = await place.open();
  const journaled = (): number => readFileSync(journalOf(place), 'utf8').split('\n').length - 1;
  await appendAll(
    events,
    Array.from({ length: 300 }, () => started),
  );
  expect(journaled()).toBe(300);
  await appendAll(
    events,
    Array.from({ length: 300 }, () => started),
  );
  expect(journaled()).toBe(0);
  await appendAll(
    events,
    Array.from({ length: 300 }, () => started),
  );
  await expect.poll(journaled, { timeout: 10_000 }).toBe(0);
  expect(await verifyChain(events)).toMatchObject({ ok: true, events: 900 });
});

test('F12: a hub that never lives long searches little of its log for unfinished calls at its start', async () => {
  const place = await places.create();
  const life = Array.from({ length: 400 }, () => started);
  for (let lives = 0; lives < 5; lives++) {
    const storage = await place.open();
    await appendAll(storage.events, life);
    await storage.close();
  }
  const database = new DatabaseSync(pathOf(place));
  onTestFinished(() => database.close());
  const mark = database.prepare('select value from settings where key = ?').get('storage.events.settled');
  expect(Number((mark as { value: string } | undefined)?.value)).toBeGreaterThan(900);
});

test('what calls said is not read at a start, only which of them are unfinished', async () => {
  const place = await places.create();
  const large = { bytes: 1_000_000, sealed: 'x'.repeat(1_000_000) };
  const storage = await place.open();
  for (let call = 0; call < 10; call++)
    await appendAll(storage.events, [
      { ...intended(`call-${call}`), arguments: large } as HubEvent,
      ...(call === 4 ? [] : [finished(`call-${call}`)]),
    ]);
  await storage.close();
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const { events } = await place.open();
  const read = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  expect(read).toBeLessThan(1_000_000);
  expect((await events.unfinishedCalls()).map(({ event }) => event)).toMatchObject([{ callId: 'call-4' }]);
});

describe('what is in the journal only', () => {
  test.each(['process', 'disk'] as const)(
    'F4: is there after the end of the process (%s)',
    async (durability) => {
      const place = await crashed(5, durability);
      expect(readFileSync(journalOf(place), 'utf8').trim().split('\n')).toHaveLength(5);
      expect(await allEvents(place)).toMatchObject({ ok: true, events: 8 });
    },
  );

  test('F4: is there once, however often a start fails after it', async () => {
    const place = await crashed(5);
    const journal = readFileSync(journalOf(place));
    const storage = await place.open();
    await storage.close();
    expect(existsSync(journalOf(place))).toBe(false);
    writeFileSync(journalOf(place), journal);
    expect(await allEvents(place)).toMatchObject({ ok: true, events: 8 });
  });

  test('F11: is in a backup that somebody else makes', async () => {
    const place = await crashed(5);
    const reader = await place.open({ access: 'read' });
    expect(await verifyChain(reader.events)).toMatchObject({ ok: true, events: 8 });
    const file = join(place.folder, 'backup');
    await reader.backup(file);
    await reader.close();
    expect(statSync(journalOf(place)).size).toBeGreaterThan(0);
    const other = await places.create();
    await restoreStorage({ url: other.url, from: file, masterKeys });
    expect(await allEvents(other)).toMatchObject({ ok: true, events: 8 });
  });

  test('F1: does not count where its last record is not whole', async () => {
    const place = await crashed(5);
    const text = readFileSync(journalOf(place), 'utf8');
    writeFileSync(journalOf(place), text.slice(0, -20));
    expect(await allEvents(place)).toMatchObject({ ok: true, events: 7 });
  });

  test('F1: does not count where its last record is rubbish', async () => {
    const place = await crashed(5);
    appendFileSync(journalOf(place), '\0\0\0\0\n\0\0');
    expect(await allEvents(place)).toMatchObject({ ok: true, events: 8 });
  });

  test.each([
    [
      'a record is changed',
      (lines: string[]) => lines.with(1, lines[1]?.replace('hub.started', 'hub.stopped') ?? ''),
    ],
    ['a record is missing', (lines: string[]) => lines.toSpliced(1, 1)],
    ['a record is unreadable', (lines: string[]) => lines.with(1, 'x')],
    ['it is of another store', (lines: string[]) => lines.slice(2)],
  ])('F19: is refused where %s, and left as it is', async (_name, change) => {
    const place = await crashed(5);
    const lines = readFileSync(journalOf(place), 'utf8').split('\n');
    const text = change(lines).join('\n');
    writeFileSync(journalOf(place), text);
    await expect(place.open()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('-events') as string,
    });
    expect(readFileSync(journalOf(place), 'utf8')).toBe(text);
  });

  test('F19: is missed where the file is gone', async () => {
    const place = await crashed(5);
    rmSync(journalOf(place));
    const refused = { code: 'config_invalid', message: expect.stringContaining('-events') as string };
    await expect(place.open()).rejects.toMatchObject(refused);
    writeFileSync(journalOf(place), '');
    expect(await allEvents(place)).toMatchObject({ ok: true, events: 3 });
  });
});

test('the journal becomes rows by itself, and leaves no file behind', async () => {
  const place = await places.create();
  const storage = await place.open();
  await appendAll(
    storage.events,
    Array.from({ length: 300 }, () => started),
  );
  expect(statSync(journalOf(place)).mode & 0o777).toBe(0o600);
  await expect.poll(() => statSync(journalOf(place)).size).toBe(0);
  await storage.close();
  expect(existsSync(journalOf(place))).toBe(false);
});

test('F4: what is in the database and still in the journal is there once after the end of the process', async () => {
  const [running, left] = [await places.create(), await places.create()];
  const storage = await running.open();
  const append = (count: number) =>
    appendAll(
      storage.events,
      Array.from({ length: count }, () => started),
    );
  await append(200);
  const journaled = readFileSync(journalOf(running), 'utf8');
  expect(journaled.trim().split('\n')).toHaveLength(200);
  await storage.events.query({ limit: 1, order: 'newest' });
  await append(5);
  copyFiles(running, left);
  const blocks = new DatabaseSync(pathOf(running), { readOnly: true });
  onTestFinished(() => blocks.close());
  expect(blocks.prepare('select first, last from event_blocks').all()).toEqual([{ first: 1, last: 200 }]);
  writeFileSync(journalOf(left), journaled + readFileSync(journalOf(left), 'utf8'));
  expect(await allEvents(left)).toMatchObject({ ok: true, events: 205 });
});

test.each([
  ['short', 'ä€𝄞'],
  ['longer than the journal holds at hand', 'ä€𝄞'.repeat(1_000)],
])('what the journal has becomes blocks word for word, where events are %s', async (_name, version) => {
  const place = await places.create();
  const storage = await place.open();
  const events = Array.from({ length: 160 }, () => ({ type: 'hub.started', version }) as const);
  const records = await nextRecords(storage.events, events);
  // All in one turn, in which nothing becomes rows.
  for (const from of [0, 40, 80, 120]) void storage.events.append(records.slice(from, from + 40));
  const journaled = readFileSync(journalOf(place), 'utf8');
  expect(await verifyChain(storage.events)).toMatchObject({ ok: true, events: 160 });
  const blocks = new DatabaseSync(pathOf(place), { readOnly: true });
  onTestFinished(() => blocks.close());
  const kept = blocks.prepare('select typeof(lines) as kind, lines from event_blocks order by first').all();
  expect(new Set(kept.map((row) => (row as { kind: string }).kind))).toEqual(new Set(['text']));
  expect(kept.map((row) => (row as { lines: string }).lines).join('')).toBe(journaled);
});
