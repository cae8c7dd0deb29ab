import { expect, test, vi } from 'vitest';
import type { Agent } from '../../agents/index.js';
import { buildSurface } from '../../catalog/index.js';
import { silentLogger, systemClock, toAgentId, toCallId, type TaskRecord } from '../../kernel/index.js';
import { createMemoryTickets } from '../../../test/support/memory-tickets.js';
import { entryOf, EVERYTHING_PERMITTED } from '../../../test/support/catalog-examples.js';
import { TaskUpstream, WORKING } from '../../../test/support/task-upstream.js';
import { TaskDesk } from './task-desk.js';
import type { TaskDependencies } from './task-request.js';

test('tasks of a server that does not answer are given up all at once, and not waited for long', async () => {
  const upstream = new TaskUpstream();
  const kept: TaskRecord[] = [];
  const outcomes: string[] = [];
  const parts: Partial<TaskDependencies> = {
    store: {
      add: async (record: TaskRecord) => void kept.push(record),
      takeAllOf: async () => kept,
    } as never,
    events: { append: (_, event) => void ('outcome' in event && outcomes.push(event.outcome)) },
    tickets: createMemoryTickets(),
    clock: systemClock,
    logger: silentLogger,
  };
  // Nothing else of it is used.
  const desk = new TaskDesk(parts as TaskDependencies);
  const surface = buildSurface(
    [entryOf('crm', { tools: ['export'] })],
    { kind: 'all' },
    EVERYTHING_PERMITTED,
  );
  const id = toAgentId('ada');
  const begun = {
    agent: { id } as Agent,
    entry: surface.findToolOf('crm', 'export')!,
    session: undefined,
    asks: undefined,
    callId: toCallId('call'),
    exposedName: 'crm__export',
    owner: 'shared',
    wish: { wanted: false },
  };
  for (let count = 0; count < 3; count++) await desk.begin(begun, WORKING, await upstream.open());
  let answer = (): void => {};
  upstream.answering = new Promise((resolve) => (answer = resolve));
  const removing = desk.removeAllOf(id);
  await vi.waitFor(() => expect([upstream.cancels, upstream.limited]).toEqual([3, 3]));
  answer();
  await removing;
  expect([desk.size, outcomes]).toEqual([0, ['cancelled', 'cancelled', 'cancelled']]);
  desk.close();
});
