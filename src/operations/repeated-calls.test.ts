import { expect, test } from 'vitest';
import type { Agent } from '../agents/index.js';
import { buildSurface } from '../catalog/index.js';
import { toAgentId, toCallId, type TicketStore } from '../kernel/index.js';
import { openStorage } from '../storage/index.js';
import { entryOf, EVERYTHING_PERMITTED } from '../../test/support/catalog-examples.js';
import { createMemoryTickets } from '../../test/support/memory-tickets.js';
import type { ToolCall } from './call-tool.js';
import { RepeatedCalls } from './repeated-calls.js';

const DAY_MS = 86_400_000;
const ENTRY = buildSurface(
  [entryOf('crm', { tools: ['pay'] })],
  { kind: 'all' },
  EVERYTHING_PERMITTED,
).findTool('crm__pay')!;
const facts = {
  name: 'ada',
  enabled: true,
  tags: [],
  source: 'file',
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};

function callOf(id: string, agent = 'ada'): ToolCall {
  return {
    callId: toCallId(id),
    agent: { ...facts, id: toAgentId(agent) } as Agent,
    scope: { kind: 'all' },
    exposedName: 'crm__pay',
    args: { amount: 7 },
    options: { meta: { 'crosspoint/idempotencyKey': 'k' } },
  };
}

test('a key whose day is over counts anew for one of those who come with it, however late the others look', async () => {
  let at = 1_000;
  const clock = { now: () => at, monotonic: () => at };
  const masterKeys = { active: { id: 'test', key: Buffer.alloc(32, 7) } };
  const storage = await openStorage({ url: 'sqlite::memory:', masterKeys, clock });
  const processOf = (self: string, tickets: TicketStore): RepeatedCalls =>
    new RepeatedCalls({ tickets, events: { append: () => {} }, clock, self, isAlive: async () => true });
  try {
    const one = processOf('one', storage.tickets);
    const first = await one.begin(callOf('first'), ENTRY, () => undefined);
    expect(first).toBeTypeOf('function');
    at += DAY_MS;
    let goOn: (value: unknown) => void = () => {};
    const held = new Promise((resolve) => (goOn = resolve));
    let looks = 0;
    const slow = processOf('slow', {
      ...storage.tickets,
      async find(kind, name) {
        const found = await storage.tickets.find(kind, name);
        if (++looks === 1) await held;
        return found;
      },
    });
    const giveUp = new AbortController();
    const late = callOf('late');
    const other = slow.begin(
      { ...late, options: { ...late.options, signal: giveUp.signal } },
      ENTRY,
      () => undefined,
    );
    await expect.poll(() => looks).toBe(1);
    expect(await one.begin(callOf('again'), ENTRY, () => undefined)).toBeTypeOf('function');
    goOn(undefined);
    giveUp.abort();
    await expect(other).rejects.toMatchObject({ code: 'cancelled' });
  } finally {
    await storage.close();
  }
});

test('an answer that was written down while somebody looked is given, though whoever made the call has ended', async () => {
  const clock = { now: () => 1_000, monotonic: () => 1_000 };
  const masterKeys = { active: { id: 'test', key: Buffer.alloc(32, 7) } };
  const storage = await openStorage({ url: 'sqlite::memory:', masterKeys, clock });
  const processOf = (self: string, tickets: TicketStore): RepeatedCalls =>
    new RepeatedCalls({ tickets, events: { append: () => {} }, clock, self, isAlive: async () => false });
  try {
    const make = await processOf('one', storage.tickets).begin(callOf('first'), ENTRY, () => undefined);
    if (typeof make !== 'function') throw new Error('nobody else has this key');
    const result = { content: [{ type: 'text', text: 'paid' }] };
    let looks = 0;
    const two = processOf('two', {
      ...storage.tickets,
      async find(kind, name) {
        const found = await storage.tickets.find(kind, name);
        if (++looks === 1) await make(async () => result);
        return found;
      },
    });
    expect(await two.begin(callOf('again'), ENTRY, () => undefined)).toEqual(result);
  } finally {
    await storage.close();
  }
});

test('an agent that has used up its room is refused, and others are not', async () => {
  const clock = { now: () => 1_000, monotonic: () => 1_000 };
  let own = 50_000;
  const tickets: TicketStore = {
    ...createMemoryTickets(clock),
    count: async (_kind, group) => (group === 'kept of ada' ? own : group === undefined ? 60_000 : 10_000),
  };
  const calls = new RepeatedCalls({
    tickets,
    events: { append: () => {} },
    clock,
    self: 'one',
    isAlive: async () => true,
  });
  const begin = (agent: string) => calls.begin(callOf('first', agent), ENTRY, () => undefined);
  await expect(begin('ada')).rejects.toMatchObject({ code: 'overloaded' });
  await expect(begin('ada')).rejects.toMatchObject({ code: 'overloaded' });
  expect(await begin('bob')).toBeTypeOf('function');
  own = 49_999;
  expect(await begin('ada')).toBeTypeOf('function');
});
