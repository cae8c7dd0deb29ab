import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../catalog/index.js';
import type { Decision } from '../governance/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest } from '../mcp/model/index.js';
import type { ToolCall } from './call-tool.js';
import { requireConfirmation } from './confirmation.js';
import { Suspended } from './suspended.js';

const DECISION: Decision = { kind: 'confirm', policies: ['p/1'], reason: 'Sure?' };
const KEY = 'crosspoint/confirmation';
const FORM = { elicitation: { form: {} } };

interface Situation {
  readonly digest?: string;
  readonly agent?: string;
  readonly connector?: string;
  readonly tool?: string;
  readonly args?: JsonObject | undefined;
  readonly capabilities?: object | undefined;
  readonly answer?: JsonObject | undefined;
  readonly state?: JsonObject | undefined;
  readonly isContinued?: boolean;
}

const entryOf = ({ connector = 'db', tool = 'drop' }: Situation): ToolEntry =>
  ({ connector: { id: connector }, tool: { name: tool } }) as ToolEntry;

function callOf({ agent = 'ci', args = { a: 1 } }: Situation, rest: object): ToolCall {
  return { agent: { id: agent }, exposedName: 'db__drop', args, options: {}, ...rest } as unknown as ToolCall;
}

/** For a client that answers by calling again. Resolves to what was thrown, too. */
function inRounds(situation: Situation): Promise<unknown> {
  const { digest = 'one', capabilities = FORM, answer, state, isContinued = false } = situation;
  const responses = answer === undefined ? {} : { [KEY]: answer };
  const call = callOf(situation, { rounds: { asks: { capabilities }, responses, state } });
  return requireConfirmation({ digest }, DECISION, call, entryOf(situation), isContinued).catch(
    (thrown: unknown) => thrown,
  );
}

async function askFirst(situation: Situation = {}): Promise<Suspended> {
  const thrown = await inRounds(situation);
  if (!(thrown instanceof Suspended)) throw new Error('nobody was asked');
  return thrown;
}

describe('a client that answers by calling again', () => {
  test('is shown no half of a character where the arguments are cut', async () => {
    const { requests } = await askFirst({ args: { a: `${'x'.repeat(993)}\u{1F600}` } });
    const message = requests[KEY]?.params?.['message'] as string;
    expect(message).toContain('xxx… (');
    expect(message).not.toMatch(/\p{Surrogate}/u);
  });

  test('is sent away with one question of ours, in the words of the policy and with the arguments', async () => {
    const { requests, state } = await askFirst();
    expect(requests).toEqual({
      [KEY]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Sure? Call db__drop?\nArguments: {"a":1}',
          requestedSchema: { type: 'object', properties: {}, required: [] },
        },
      },
    });
    expect(Object.keys(state)).toEqual(['asked']);
  });

  test.each([
    [{}, 'Sure? Call db__drop?'],
    [{ a: '\u202Etxt.exe\n' }, 'Sure? Call db__drop?\nArguments: {"a":"\\u202etxt.exe\\n"}'],
    [{ a: 'a\u{E0041}' }, 'Sure? Call db__drop?\nArguments: {"a":"a\\udb40\\udc41"}'],
    [
      { a: 'x'.repeat(2_000) },
      `Sure? Call db__drop?\nArguments: {"a":"${'x'.repeat(994)}… (2008 characters)`,
    ],
  ])('sees what it consents to as it is, and no more than can be read: %j', async (args, message) => {
    const { requests } = await askFirst({ args });
    expect(requests[KEY]?.params?.['message']).toBe(message);
  });

  test('has its consent with the right answer, and keeps it while the call goes on', async () => {
    const { state } = await askFirst();
    const subject = await inRounds({ state, answer: { action: 'accept' } });
    expect(subject).toBe(state['asked']);
    expect(await inRounds({ state: { confirmed: subject as string }, isContinued: true })).toBe(subject);
    // The same words without a call that goes on are worth nothing.
    expect(await inRounds({ state: { confirmed: subject as string } })).toBeInstanceOf(Suspended);
    expect(await inRounds({ state: { confirmed: 'other' }, isContinued: true })).toBeInstanceOf(Suspended);
  });

  test.each([{ action: 'decline' }, { action: 'cancel' }, {}])('%j is a no', async (answer) => {
    const { state } = await askFirst();
    expect(await inRounds({ state, answer })).toMatchObject({
      code: 'policy_denied',
      details: { reason: 'not confirmed' },
    });
  });

  test('without an answer is asked again', async () => {
    const { state } = await askFirst();
    expect(await inRounds({ state })).toBeInstanceOf(Suspended);
    expect(await inRounds({ answer: { action: 'accept' } })).toBeInstanceOf(Suspended);
  });

  test.each<[string, Situation]>([
    ['other policies', { digest: 'two' }],
    ['another agent', { agent: 'x' }],
    ['another connector', { connector: 'mail' }],
    ['another tool', { tool: 'query' }],
    ['other arguments', { args: { a: 2 } }],
  ])('B6.2: a yes is none under %s', async (_what, change) => {
    const { state } = await askFirst();
    expect(await inRounds({ ...change, state, answer: { action: 'accept' } })).toBeInstanceOf(Suspended);
  });

  test('no arguments are empty ones', async () => {
    const { state } = await askFirst({ args: {} });
    const call = callOf(
      {},
      {
        args: undefined,
        rounds: { asks: { capabilities: FORM }, responses: { [KEY]: { action: 'accept' } }, state },
      },
    );
    expect(await requireConfirmation({ digest: 'one' }, DECISION, call, entryOf({}), false)).toBe(
      state['asked'],
    );
  });
});

describe('a client that is asked while its call runs', () => {
  async function asking(answer: JsonObject | undefined, more: object = {}): Promise<unknown> {
    const asked: [InputRequest, AbortSignal][] = [];
    const ask = (question: InputRequest, signal: AbortSignal) => {
      asked.push([question, signal]);
      return Promise.resolve(answer);
    };
    const call = callOf({}, { options: { ask, capabilities: FORM, ...more } });
    const outcome = await requireConfirmation({ digest: 'one' }, DECISION, call, entryOf({}), false).catch(
      (thrown: unknown) => thrown,
    );
    for (const [question, signal] of asked) {
      expect(question.method).toBe('elicitation/create');
      expect(signal).toBeInstanceOf(AbortSignal);
    }
    return outcome;
  }

  test('consents with a yes, and with nothing else', async () => {
    expect(await asking({ action: 'accept' })).toBe((await askFirst()).state['asked']);
    for (const answer of [{ action: 'decline' }, {}, undefined])
      expect(await asking(answer)).toMatchObject({ code: 'policy_denied' });
  });

  test('that cannot be asked needs one that can', async () => {
    for (const capabilities of [undefined, {}, { elicitation: { url: {} } }])
      expect(await asking({ action: 'accept' }, { capabilities })).toMatchObject({
        code: 'confirmation_required',
      });
    expect(await asking({ action: 'accept' }, { ask: undefined })).toMatchObject({
      code: 'confirmation_required',
    });
    expect(await inRounds({ capabilities: {}, answer: { action: 'accept' } })).toMatchObject({
      code: 'confirmation_required',
    });
  });

  test('may hang up: its own signal is handed on', async () => {
    const { signal } = new AbortController();
    let given: AbortSignal | undefined;
    const ask = (_question: InputRequest, handed: AbortSignal) => {
      given = handed;
      return Promise.resolve({ action: 'accept' });
    };
    const call = callOf({}, { options: { ask, signal, capabilities: FORM } });
    await requireConfirmation({ digest: 'one' }, DECISION, call, entryOf({}), false);
    expect(given).toBe(signal);
  });
});
