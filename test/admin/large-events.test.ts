import { afterAll, beforeAll, expect, test } from 'vitest';
import { toCallId, toConnectorId } from '../../src/kernel/index.js';
import { ask, openAdminHub, type AdminHub } from '../support/admin-hub.js';
import { turnsDuring } from '../support/turns-during.js';
import { tell } from './scenario.js';

/** A log of events that keep large arguments: however it is read, only some of it is in memory at a time. */

const COUNT = 40;
const ARGUMENTS = 300_000;
/** What is read in one go, and one event more. */
const MOST_OF_PAGE = 1_048_576 + 2 * ARGUMENTS;

let hub: AdminHub;
let largest = 0;

beforeAll(async () => {
  hub = await openAdminHub();
  for (let call = 0; call < COUNT; call++)
    hub.events.append(
      { kind: 'hub' },
      {
        type: 'call.intended',
        callId: toCallId(`call-${call}`),
        connector: toConnectorId('notes'),
        target: 'search',
        exposedName: 'notes__search',
        method: 'tools/call',
        arguments: { bytes: ARGUMENTS, sealed: 'x'.repeat(ARGUMENTS) },
        policies: [],
      },
    );
  await hub.events.flush();
  const { events } = hub.storage;
  const query = events.query.bind(events);
  events.query = async (wanted) => {
    const page = await query(wanted);
    largest = Math.max(largest, JSON.stringify(page).length);
    return page;
  };
});
afterAll(() => hub?.close());

function expectSmallPages(): void {
  expect(largest).toBeGreaterThan(ARGUMENTS);
  expect(largest).toBeLessThan(MOST_OF_PAGE);
  largest = 0;
}

const NEWEST_FIRST = Array.from({ length: COUNT }, (_, call) => `call-${COUNT - 1 - call}`);

test('a list ends early, and its cursor leads to the rest', async () => {
  const found: unknown[] = [];
  let cursor = '';
  let pages = 0;
  do {
    const path = `/events?type=call.intended&limit=${COUNT}${cursor}`;
    const { body } = await tell(hub, { method: 'GET', path });
    found.push(...(body['items'] as readonly { callId: string }[]).map(({ callId }) => callId));
    const next = body['nextCursor'] as string | undefined;
    cursor = next === undefined ? '' : `&cursor=${next}`;
    pages++;
  } while (cursor !== '');
  expect(found).toEqual(NEWEST_FIRST);
  expect(pages).toBeGreaterThan(5);
  expectSmallPages();
});

test('an export has all of it, piece by piece', async () => {
  const response = await ask(hub, { method: 'GET', path: '/events/export?type=call.intended' });
  const pieces: Buffer[] = [];
  for await (const piece of response.body as ReadableStream<Uint8Array>) pieces.push(Buffer.from(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(MOST_OF_PAGE);
  const lines = Buffer.concat(pieces).toString().trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { callId: string }).callId)).toEqual(
    NEWEST_FIRST.toReversed(),
  );
  expectSmallPages();
});

test('verifying it lets others have their turn', async () => {
  const {
    turns,
    outcome: { body },
  } = await turnsDuring(() => tell(hub, { method: 'POST', path: '/events/verify' }));
  expect(body).toMatchObject({ ok: true });
  expect(turns).toBeGreaterThan(8);
  expectSmallPages();
});

test('whoever follows from far back gets all of it, page by page', async () => {
  const response = await ask(hub, {
    method: 'GET',
    path: '/events/stream?type=call.intended',
    headers: { 'last-event-id': '0' },
  });
  let calls = 0;
  for await (const piece of response.body as ReadableStream<Uint8Array>) {
    calls += Buffer.from(piece).toString().split('\ndata: ').length - 1;
    if (calls === COUNT) break;
  }
  expectSmallPages();
});
