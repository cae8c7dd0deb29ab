import { expect, onTestFinished, test } from 'vitest';
import { openEventLog, type HubEvent } from '../governance/index.js';
import { silentLogger, systemClock, toAgentId, toCallId, toConnectorId } from '../kernel/index.js';
import { TakenCalls } from '../operations/index.js';
import { openStorage } from '../storage/index.js';
import { closeUnfinishedCalls } from './recover.js';

const AGENT = { kind: 'agent', id: toAgentId('ci') } as const;
const CALL = {
  callId: toCallId('call'),
  connector: toConnectorId('db'),
  target: 'query',
  exposedName: 'db__query',
  method: 'tools/call',
} as const;
const ENDED: HubEvent = { type: 'call.finished', ...CALL, outcome: 'ok', durationMs: 1 };

/** A call that the process `one` has begun. */
async function setUp() {
  const masterKeys = { active: { id: 'test', key: Buffer.alloc(32, 7) } };
  const storage = await openStorage({ url: 'sqlite::memory:', masterKeys, clock: systemClock });
  const options = { store: storage.events, clock: systemClock, logger: silentLogger, instance: 'one' };
  const events = await openEventLog(options);
  onTestFinished(async () => {
    await events.close();
    await storage.close();
  });
  await events.intend(AGENT, { type: 'call.intended', ...CALL, arguments: { bytes: 2 }, policies: [] });
  const living = new Set(['one', 'two']);
  return {
    events,
    living,
    taken: new TakenCalls({ tickets: storage.tickets, clock: systemClock, self: 'two' }),
    recover: (look = async () => {}) =>
      closeUnfinishedCalls({ storage, events, clock: systemClock }, async () => {
        await look();
        return living;
      }),
    async ends(): Promise<unknown[]> {
      await events.flush();
      const found = await storage.events.query({ type: 'call.finished', limit: 10, order: 'oldest' });
      return found.map(({ event }) => 'outcome' in event && event.outcome);
    },
  };
}

test('a call of a process that is gone is closed once', async () => {
  const { living, recover, ends } = await setUp();
  expect(await recover()).toBe(0);
  living.delete('one');
  expect([await recover(), await recover()]).toEqual([1, 0]);
  expect(await ends()).toEqual(['outcome_unknown']);
});

test('one that another process goes on with is left to that one, for as long as it lives', async () => {
  const { living, recover, ends, taken } = await setUp();
  await taken.note(CALL.callId);
  living.delete('one');
  expect(await recover()).toBe(0);
  living.delete('two');
  expect([await recover(), await recover()]).toEqual([1, 0]);
  expect(await ends()).toEqual(['outcome_unknown']);
});

test('one that the other process does not go on with is closed', async () => {
  const { living, recover, taken } = await setUp();
  await taken.note(CALL.callId);
  living.delete('one');
  await taken.forget(CALL.callId);
  expect(await recover()).toBe(1);
});

test('one whose process writes its end down and leaves meanwhile has that end only', async () => {
  const { events, living, recover, ends } = await setUp();
  const look = async (): Promise<void> => {
    events.append(AGENT, ENDED);
    living.delete('one');
  };
  expect(await recover(look)).toBe(0);
  expect(await ends()).toEqual(['ok']);
});
