import { HubError, type AgentId, type CallId, type ConnectorId, type HubErrorCode } from '../kernel/index.js';
import type { Json, JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest, InputRequests, InputResponses, Task } from '../mcp/model/index.js';
import type { RoundOptions, Upstream, UpstreamOptions } from '../upstreams/index.js';
import type { BridgeLosses } from './bridge-losses.js';
import type { HeldCall, HeldCalls } from './held-calls.js';
import { DistantCall } from './held-elsewhere.js';
import { OpenRound } from './open-round.js';
import { MOST_ROUNDS, ParkedCall } from './parked-call.js';
import { Suspended, type Rounds } from './suspended.js';
import { pageIdsOf, urlQuestions, visitedInTime } from './url-questions.js';

/** Keys of questions that are the hub's own. No upstream may use them, and their answers go to none. */
export const OWN_KEYS = 'crosspoint/';

/** How long somebody may take for a page after they agreed to visit it, without being asked again. */
const VISIT_MS = 20_000;

/** What the upstream wants to know before it goes on, with what it wants to see again. */
export class NextRound {
  readonly requests: InputRequests;
  readonly state: JsonObject;
  constructor(requests: InputRequests, state: JsonObject) {
    this.requests = requests;
    this.state = state;
  }
}

/** The upstream made a task of the call, and the caller can follow it. */
export class AnsweredTask {
  readonly task: Task;
  constructor(task: Task) {
    this.task = task;
  }
}

/**
 * The call that a caller comes back for. Undefined where it has none yet, or none that is still known and needs to be: a
 * call that the upstream does not keep open goes on from what the caller brings.
 */
export async function claimHeld(
  held: HeldCalls,
  owner: AgentId,
  { state = {} }: Rounds,
  whenLost: HubErrorCode = 'upstream_closed',
): Promise<HeldCall | undefined> {
  const { park, round } = state;
  const id = park ?? round;
  const found = typeof id === 'string' ? await held.claim(id, owner) : undefined;
  if (found === undefined && park !== undefined)
    throw new HubError(whenLost, 'The interaction was lost; call again');
  return found;
}

export interface RoundsCall {
  readonly held: HeldCalls;
  readonly losses: BridgeLosses;
  readonly owner: AgentId;
  readonly connector: ConnectorId;
  /** Of a call that begins now. */
  readonly callId: CallId;
  /** Names method, connector and what is called there. */
  readonly target: string;
  readonly rounds: Rounds;
  /** Of the request that is here now. */
  readonly options: UpstreamOptions;
  /** From `claimHeld`. */
  readonly claimed: HeldCall | undefined;
  /** What has to stay known from round to round. */
  readonly state: JsonObject;
}

/** What a call by rounds needs beyond the call itself. */
export interface Passage {
  readonly rounds: Rounds;
  /** What stays known from round to round. */
  readonly kept: JsonObject;
  /** Names method, connector and what is called there. */
  readonly target: string;
  readonly continued: OpenRound | undefined;
}

/** Carries a call on, or begins it: as one run, however many rounds it takes where the upstream keeps it open. */
export function carryByRounds<Result>(
  call: RoundsCall,
  run: (options: UpstreamOptions, continued: OpenRound | undefined) => Promise<Result>,
): Promise<Result> {
  const { held, losses, owner, connector, target, rounds, options, claimed, state } = call;
  if (claimed instanceof ParkedCall) {
    requireSame(claimed, target);
    return claimed.attach(options, rounds.responses);
  }
  if (claimed instanceof DistantCall) {
    requireSame(claimed, target);
    return claimed.attach(options, rounds.responses) as Promise<Result>;
  }
  const continued = claimed instanceof OpenRound ? claimed : undefined;
  if (continued !== undefined) {
    requireSame(continued, target);
    continued.take();
  }
  const { logLevel, onProgress, onLog, onSent, caller, withoutTasks } = options;
  const { capabilities = rounds.asks.capabilities } = options;
  const callId = continued?.callId ?? call.callId;
  const parked = new ParkedCall<Result>({
    held,
    owner,
    target,
    state,
    expected: rounds.responses,
    onDropped: (count) => losses.progressDropped({ agent: owner, connector, callId, count }),
    work: (line) => {
      const ask: typeof line.ask = async (question, signal) =>
        rounds.accepts(question) ? line.ask(withoutHopIds(question), signal) : undefined;
      const whole: UpstreamOptions = {
        get signal() {
          return line.signal;
        },
        onAbort: line.onAbort,
        ask,
        capabilities,
        ...(onProgress && { onProgress: line.onProgress }),
        ...(onLog && { onLog: line.onLog }),
        ...(logLevel && { logLevel }),
        ...(onSent && { onSent }),
        ...(caller !== undefined && { caller }),
        ...(withoutTasks && { withoutTasks }),
      };
      return run(options.meta === undefined ? whole : withMetaOf(options, whole), continued);
    },
  });
  return parked.attach(options);
}

/** Read when it is needed: a trace names the stage that the call is in by then. */
function withMetaOf(options: UpstreamOptions, whole: UpstreamOptions): UpstreamOptions {
  return Object.defineProperty(whole, 'meta', { get: () => options.meta, enumerable: true });
}

/** What was sealed for one request says which; this is the check that the name still leads to the same place. */
function requireSame(call: HeldCall & { readonly target: string }, target: string): void {
  if (call.target === target) return;
  const changed = new HubError('upstream_closed', 'What was called has changed meanwhile; call again');
  void call.end(changed);
  throw changed;
}

/** One round with the upstream. Throws `NextRound` when it wants to know more. */
export async function askByRounds(
  upstream: Upstream,
  method: string,
  params: JsonObject,
  options: UpstreamOptions,
  { state: brought = {}, responses, asks }: Rounds,
  takesTask = false,
): Promise<JsonObject> {
  const { urls, upstream: requestState } = brought;
  if (urls === true) requireConsent(responses);
  const inputResponses = urls === true ? {} : withoutOwn(responses);
  // Spreading reads the signal; whoever answers by rounds can afford one.
  const whole: RoundOptions = {
    ...options,
    ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
    ...(typeof requestState === 'string' && { requestState }),
    ...(takesTask && { takesTask }),
  };
  for (let waited = urls !== true; ; waited = true) {
    try {
      return await answerOf(upstream, method, params, whole);
    } catch (error) {
      const questions = asks.capabilities.elicitation?.url === undefined ? undefined : urlQuestions(error);
      if (questions === undefined) throw error;
      const pages = pageIdsOf(error);
      // Consent was given, which is not a visit: the upstream says when there was one, and has not acted before.
      const awaited = [...pages, ...textsIn(brought['pages'])];
      if (!waited && (await visitedInTime(upstream, awaited, VISIT_MS, whole.signal))) continue;
      const next: unknown = new NextRound(questions, { urls: true, pages });
      throw next;
    }
  }
}

async function answerOf(
  upstream: Upstream,
  method: string,
  params: JsonObject,
  options: RoundOptions,
): Promise<JsonObject> {
  const answer = await upstream.round(method, params, options);
  if ('result' in answer) return answer.result;
  if ('task' in answer) {
    const handed: unknown = new AnsweredTask(answer.task);
    throw handed;
  }
  if (Object.keys(answer.requests).some((key) => key.startsWith(OWN_KEYS)))
    throw new HubError('upstream_protocol', 'the upstream asked under a name that is not its own');
  const { requestState: state } = answer;
  const next: unknown = new NextRound(answer.requests, state === undefined ? {} : { upstream: state });
  throw next;
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one: Json) => typeof one === 'string') : [];
}

/** Keeps a call open for its next round. Throws where that is one too many. */
export function keepOpen(
  held: HeldCalls,
  { rounds, kept }: Passage,
  { requests, state }: NextRound,
  open: OpenRound,
): Suspended {
  const { n } = rounds.state ?? {};
  const count = typeof n === 'number' ? n + 1 : 1;
  if (count > MOST_ROUNDS) throw new HubError('upstream_protocol', 'the upstream kept asking for input');
  return new Suspended(requests, { ...kept, ...state, round: held.hold(open), n: count });
}

/** The id of a page means something only where its completion is told. */
function withoutHopIds(question: InputRequest): InputRequest {
  if (question.params?.['elicitationId'] === undefined) return question;
  const { elicitationId: _, ...params } = question.params;
  return { ...question, params };
}

function withoutOwn(responses: InputResponses): InputResponses {
  return Object.fromEntries(Object.entries(responses).filter(([key]) => !key.startsWith(OWN_KEYS)));
}

function requireConsent(responses: InputResponses): void {
  const answers = Object.values(responses);
  if (answers.length > 0 && answers.every(({ action }) => action === 'accept')) return;
  throw new HubError('cancelled', 'The page that the upstream wants to be visited was not opened');
}
