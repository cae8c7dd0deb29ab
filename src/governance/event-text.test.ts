import { expect, test } from 'vitest';
import { toAgentId, toCallId, toConnectorId } from '../kernel/index.js';
import { textOfActor, textOfEvent } from './event-text.js';
import type { Actor, HubEvent } from './events.js';

const NAMES = ['echo', 'a "quoted" name', 'größer', '\u2028', 'a\\b\n', '\ud800', '', 'x'.repeat(300)];

const facts = (name: string) => ({
  callId: toCallId('3b241101-e2bb-4255-8caf-4136c566a962'),
  connector: toConnectorId('stub'),
  target: name,
  exposedName: `stub__${name}`,
  method: 'tools/call',
});

const events = NAMES.flatMap((name): HubEvent[] => {
  const intended = { type: 'call.intended', ...facts(name), arguments: { bytes: 7 }, policies: [] } as const;
  const finished = { type: 'call.finished', ...facts(name), outcome: 'ok', durationMs: 1.25 } as const;
  const hashed = { ...intended, arguments: { bytes: 7, hash: 'q83v_-' } };
  return [
    intended,
    hashed,
    { ...intended, arguments: { bytes: 7, sealed: name } },
    { ...hashed, policies: [name] },
    { ...hashed, policies: ['use', name, 'more'], instance: name },
    { ...hashed, trace: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', instance: 'one' },
    finished,
    { ...finished, resultBytes: 12, durationMs: 1e-7 },
    { ...finished, resultBytes: 12, durationMs: 1e21 },
    { ...finished, outcome: 'failed', error: 'internal' },
    { ...finished, resultBytes: 1, warnings: [name] },
    { type: 'connector.sync_failed', connector: toConnectorId('stub'), error: 'internal', reason: name },
  ];
});

test.each(events)('an event is written as JSON.stringify writes it, now and after it was read', (event) => {
  const text = textOfEvent(event);
  expect(text).toBe(JSON.stringify(event));
  expect(textOfEvent(JSON.parse(text) as HubEvent)).toBe(text);
});

test.each<Actor>([
  { kind: 'hub' },
  { kind: 'agent', id: toAgentId('reader') },
  { kind: 'agent', id: toAgentId('"') },
  { kind: 'agent', id: toAgentId('reader'), admin: 'root' },
  { kind: 'admin', id: 'root', request: 'r-1' },
])('so is who caused it: %j', (actor) => {
  expect(textOfActor(actor)).toBe(JSON.stringify(actor));
});
