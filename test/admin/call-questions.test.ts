import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryCoordination } from '../../src/coordination/index.js';
import { systemClock, toCallId } from '../../src/kernel/index.js';
import { createCallQuestions, type CallQuestions } from '../../src/operations/index.js';
import { createMemoryTickets } from '../support/memory-tickets.js';

const ADA = { id: 'ada', role: 'operator' } as const;
const CALL = toCallId('call-1');

let coordination: ReturnType<typeof createMemoryCoordination>;
beforeEach(() => {
  coordination = createMemoryCoordination();
});
afterEach(() => coordination.close());

/** Processes that share a store and a feed. */
function processes(options: { readonly lifetimeMs?: number; readonly most?: number } = {}) {
  const tickets = createMemoryTickets();
  const create = () =>
    createCallQuestions({ tickets, feed: coordination.feed, clock: systemClock, ...options });
  return [create(), create()] as const;
}

/** Asks, and waits until it can be answered. */
async function ask(questions: CallQuestions, signal = new AbortController().signal) {
  let ended: ReturnType<CallQuestions['ask']> | undefined;
  const id = await new Promise<string>((resolve) => {
    ended = questions.ask({ by: ADA, callId: CALL, signal, onAsked: (asked) => resolve(asked.id) });
  });
  return { id, ended };
}

test('an answer that reaches another process comes to the call, once', async () => {
  const [one, other] = processes();
  const { id, ended } = await ask(one);
  const given = {
    by: ADA,
    callId: CALL,
    question: id,
    answer: { action: 'accept', content: { n: 1 } },
  } as const;
  await other.answer(given);
  expect(await ended).toEqual({ reason: 'answered', answer: { action: 'accept', content: { n: 1 } } });
  for (const questions of [one, other])
    await expect(questions.answer(given)).rejects.toMatchObject({ code: 'not_found' });
});

test('of two answers at the same time one counts', async () => {
  const [one, other] = processes();
  const { id, ended } = await ask(one);
  const given = { by: ADA, callId: CALL, question: id, answer: { action: 'decline' } } as const;
  const outcomes = await Promise.allSettled([one.answer(given), other.answer(given)]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await ended).toMatchObject({ reason: 'answered' });
});

test('a question that nobody answers ends, and cannot be answered any more', async () => {
  const [one] = processes({ lifetimeMs: 20 });
  const { id, ended } = await ask(one);
  expect(await ended).toEqual({ reason: 'expired' });
  const late = { by: ADA, callId: CALL, question: id, answer: { action: 'cancel' } } as const;
  await expect(one.answer(late)).rejects.toMatchObject({ code: 'not_found' });
});

test('a question is withdrawn with its call', async () => {
  const [one] = processes();
  const leaving = new AbortController();
  const { ended } = await ask(one, leaving.signal);
  leaving.abort();
  expect(await ended).toEqual({ reason: 'withdrawn' });
  expect(await (await ask(one, leaving.signal)).ended).toEqual({ reason: 'withdrawn' });
});

test('there are never more than so many', async () => {
  const [one] = processes({ most: 1 });
  const leaving = new AbortController();
  const { ended } = await ask(one, leaving.signal);
  await expect(
    one.ask({ by: ADA, callId: CALL, signal: leaving.signal, onAsked: () => {} }),
  ).rejects.toMatchObject({ code: 'overloaded' });
  leaving.abort();
  await ended;
});
