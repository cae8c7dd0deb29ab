import { expect, test } from 'vitest';
import { HubError, toAgentId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest } from '../mcp/model/index.js';
import type { UpstreamOptions } from '../upstreams/index.js';
import { HeldCalls } from './held-calls.js';
import { MOST_ROUNDS, ParkedCall, type Line } from './parked-call.js';
import { Suspended } from './suspended.js';

const ADA = toAgentId('ada');
const ROOTS: InputRequest = { method: 'roots/list' };
const ANSWER: JsonObject = { roots: [] };
const NEVER = new AbortController().signal;

function park<Result>(
  work: (line: Line) => Promise<Result>,
  more: { held?: HeldCalls; onDropped?: (count: number) => void } = {},
) {
  const held = more.held ?? new HeldCalls();
  const parked = new ParkedCall({
    held,
    owner: ADA,
    target: 't',
    state: { kept: true },
    gatherMs: 5,
    work,
    ...(more.onDropped && { onDropped: more.onDropped }),
  });
  return { held, parked };
}

/** What the caller was sent away for. */
async function suspension(attached: Promise<unknown>): Promise<Suspended> {
  const outcome = await attached.then(
    () => 'a result',
    (reason: unknown) => reason,
  );
  if (!(outcome instanceof Suspended)) throw new Error(`not suspended: ${String(outcome)}`);
  return outcome;
}

function comeBack(held: HeldCalls, { state }: Suspended): ParkedCall<unknown> {
  return held.take(state['park'] as string, ADA) as ParkedCall<unknown>;
}

function caller(): UpstreamOptions & { hangUp(): void; readonly heard: number[] } {
  const listeners: (() => void)[] = [];
  const heard: number[] = [];
  return {
    heard,
    onProgress: ({ progress }) => heard.push(progress),
    onAbort: (listener) => listeners.push(listener),
    hangUp: () => listeners.forEach((listener) => listener()),
  };
}

test('work that asks nothing is just done', async () => {
  const { held, parked } = park(async () => 'done');
  expect(await parked.attach({})).toBe('done');
  expect(held.size).toBe(0);
});

test('a question sends the caller away, its answer brings the result, and the work is done once', async () => {
  let begun = 0;
  const { held, parked } = park(async ({ ask }) => {
    begun++;
    return ask(ROOTS, NEVER);
  });
  const sent = await suspension(parked.attach({}));
  expect(sent.requests).toEqual({ 'question-1': ROOTS });
  expect(sent.state).toMatchObject({ kept: true });
  expect(await comeBack(held, sent).attach({}, { 'question-1': ANSWER })).toEqual(ANSWER);
  expect([begun, held.size]).toEqual([1, 0]);
});

test('questions that come together are asked together; what is not answered is asked again', async () => {
  const { held, parked } = park(({ ask }) => Promise.all([ask(ROOTS, NEVER), ask(ROOTS, NEVER)]));
  const first = await suspension(parked.attach({}));
  expect(Object.keys(first.requests)).toEqual(['question-1', 'question-2']);
  const again = await suspension(
    comeBack(held, first).attach({}, { 'question-1': ANSWER, 'question-3': ANSWER }),
  );
  expect(Object.keys(again.requests)).toEqual(['question-2']);
  expect(held.take(first.state['park'] as string, ADA)).toBeUndefined();
  expect(await comeBack(held, again).attach({}, { 'question-2': ANSWER })).toEqual([ANSWER, ANSWER]);
});

test('a question that is taken back waits for nobody; the result waits for the caller', async () => {
  const withdrawal = new AbortController();
  const { held, parked } = park(
    async ({ ask }) => (await ask(ROOTS, withdrawal.signal)) ?? 'without an answer',
  );
  const sent = await suspension(parked.attach({}));
  withdrawal.abort();
  expect(await comeBack(held, sent).attach({}, { 'question-1': ANSWER })).toBe('without an answer');
});

test('progress goes to whoever is there', async () => {
  let tell = (_: number): void => {};
  const { held, parked } = park(({ ask, onProgress }) => {
    tell = (progress) => onProgress({ progress });
    return ask(ROOTS, NEVER);
  });
  const [first, second] = [caller(), caller()];
  const attached = parked.attach(first);
  tell(1);
  const sent = await suspension(attached);
  tell(2);
  const back = comeBack(held, sent).attach(second, {});
  tell(3);
  await suspension(back);
  expect([first.heard, second.heard]).toEqual([[1], [3]]);
  await held.close();
});

test('what came while nobody was there is counted, and told once when the work is over', async () => {
  const dropped: number[] = [];
  let line: Line | undefined;
  const tell = (progress: number): void => {
    line?.onProgress({ progress });
    line?.onLog({ level: 'info', data: progress });
  };
  const onDropped = (count: number): void => void dropped.push(count);
  const { held, parked } = park(
    (given) => {
      line = given;
      return given.ask(ROOTS, NEVER);
    },
    { onDropped },
  );
  const attached = parked.attach({});
  tell(1);
  const sent = await suspension(attached);
  tell(2);
  const again = await suspension(comeBack(held, sent).attach({}));
  tell(3);
  expect(dropped).toEqual([]);
  await comeBack(held, again).attach({}, { 'question-1': ANSWER });
  expect(dropped).toEqual([4]);
});

test('nothing is told of a call that missed nothing, and whoever gave up misses nothing', async () => {
  const dropped: number[] = [];
  const onDropped = (count: number): void => void dropped.push(count);
  const { held, parked } = park(
    async ({ ask, onProgress }) => {
      await ask(ROOTS, NEVER);
      onProgress({ progress: 1 });
    },
    { onDropped },
  );
  await suspension(parked.attach({}));
  await held.close();
  expect(dropped).toEqual([]);
});

test('who hangs up while it waits ends the work; who hangs up after it was sent away does not', async () => {
  let aborted = 0;
  const { held, parked } = park(async ({ ask, onAbort, signal }) => {
    onAbort(() => aborted++);
    const answer = await ask(ROOTS, NEVER);
    if (answer === undefined || signal.aborted) throw new HubError('cancelled', 'taken back');
    await new Promise((_, reject) => onAbort(() => reject(new HubError('cancelled', 'taken back'))));
    return answer;
  });
  const first = caller();
  const sent = await suspension(parked.attach(first));
  first.hangUp();
  expect(aborted).toBe(0);
  const second = caller();
  const waiting = comeBack(held, sent).attach(second, { 'question-1': ANSWER });
  second.hangUp();
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  expect(aborted).toBe(1);
});

test('nobody comes back: the question is not answered, the work is told to stop, and is waited for', async () => {
  const events: unknown[] = [];
  const { held, parked } = park(async ({ ask, onAbort }) => {
    onAbort(() => events.push('aborted'));
    events.push(await ask(ROOTS, NEVER));
    return events.push('over');
  });
  await suspension(parked.attach({}));
  await held.close();
  expect(events).toEqual(['aborted', undefined, 'over']);
});

test('whoever keeps asking is stopped', async () => {
  const { held, parked } = park(async ({ ask }) => {
    for (;;) if ((await ask(ROOTS, NEVER)) === undefined) return 'stopped';
  });
  let sent = await suspension(parked.attach({}));
  for (let round = 1; round < MOST_ROUNDS; round++)
    sent = await suspension(comeBack(held, sent).attach({}, { [`question-${round}`]: ANSWER }));
  const last = comeBack(held, sent).attach({}, { [`question-${MOST_ROUNDS}`]: ANSWER });
  await expect(last).rejects.toMatchObject({ code: 'upstream_protocol' });
  expect(held.size).toBe(0);
});

test('where there is no room to wait the call ends', async () => {
  const { parked } = park(async ({ ask }) => (await ask(ROOTS, NEVER)) ?? 'stopped', {
    held: new HeldCalls({ perOwner: 0 }),
  });
  await expect(parked.attach({})).rejects.toMatchObject({ code: 'overloaded' });
});

test('a question that has a name keeps it, and an answer that was brought for it is taken', async () => {
  const named: InputRequest = { method: 'roots/list', params: { _meta: { 'crosspoint/question': 'where' } } };
  const ask = (line: Line) => Promise.all([line.ask(named, NEVER), line.ask(named, NEVER)]);
  const { held, parked } = park(ask);
  const first = await suspension(parked.attach({}));
  expect(Object.keys(first.requests)).toEqual(['where', 'question-2']);
  const back = comeBack(held, first);
  expect(await back.attach({}, { where: ANSWER, 'question-2': ANSWER })).toEqual([ANSWER, ANSWER]);
  const expecting = new ParkedCall({
    held,
    owner: ADA,
    target: 't',
    state: {},
    expected: { where: ANSWER, other: ANSWER },
    work: (line) => line.ask(named, NEVER),
  });
  expect(await expecting.attach({})).toEqual(ANSWER);
});

test.each(['constructor', 'question-2'])(
  'a question that its server calls %s is like others',
  async (name) => {
    const named: InputRequest = { method: 'roots/list', params: { _meta: { 'crosspoint/question': name } } };
    const { held, parked } = park((line) => Promise.all([line.ask(named, NEVER), line.ask(ROOTS, NEVER)]));
    const both = await suspension(parked.attach({}));
    const [other = '', ...more] = Object.keys(both.requests).filter((key) => key !== name);
    expect(more).toEqual([]);
    const rest = await suspension(comeBack(held, both).attach({}, { [other]: ANSWER }));
    expect(Object.keys(rest.requests)).toEqual([name]);
    expect(await comeBack(held, rest).attach({}, { [name]: ANSWER })).toEqual([ANSWER, ANSWER]);
  },
);
