import { expect, test } from 'vitest';
import type { EventLog, EventStore } from '../../governance/index.js';
import { silentLogger } from '../../kernel/index.js';
import { createEventStreams } from './event-streams.js';

const mayGoOn = async () => true;

test('whoever leaves before the stream has begun takes no place of others', async () => {
  const streams = createEventStreams({
    events: { subscribe: () => () => {} } as unknown as EventLog,
    eventStore: { last: async () => undefined } as unknown as EventStore,
    streams: { maxStreams: 1 },
    logger: silentLogger,
  });
  const leaving = new AbortController();
  const left = streams.open({}, undefined, { signal: leaving.signal, mayGoOn });
  leaving.abort();
  await left;
  const next = await streams.open({}, undefined, { signal: new AbortController().signal, mayGoOn });
  expect(next.locked).toBe(false);
});

test('whoever comes while all places are taken is told', async () => {
  const streams = createEventStreams({
    events: { subscribe: () => () => {} } as unknown as EventLog,
    eventStore: { last: async () => undefined } as unknown as EventStore,
    streams: { maxStreams: 0 },
    logger: silentLogger,
  });
  const { signal } = new AbortController();
  await expect(streams.open({}, undefined, { signal, mayGoOn })).rejects.toMatchObject({
    code: 'overloaded',
  });
});
