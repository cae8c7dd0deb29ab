import type { EventLog } from '../governance/index.js';
import type { AgentId, CallId, Clock, ConnectorId } from '../kernel/index.js';
import { supportsElicitation, type ClientCapabilities, type InputRequest } from '../mcp/model/index.js';
import { AttemptWindow } from './attempt-window.js';

/** `unattributed`: nobody knows whom it is meant for; `undeclared`: the caller cannot be asked that; `unanswered`: it did not answer. */
export type RefusalReason = 'unattributed' | 'undeclared' | 'unanswered';

export interface RefusedQuestion {
  readonly connector: ConnectorId;
  readonly method: string;
  readonly reason: RefusalReason;
  /** In whose call it came, where that is known. */
  readonly agent?: AgentId;
  readonly callId?: CallId;
}

export interface ReducedAnswer {
  readonly connector: ConnectorId;
  readonly agent: AgentId;
  readonly exposedName: string;
  readonly method: string;
  readonly revision: string;
  /** Kinds of content that the client's revision has no words for. */
  readonly lost: readonly string[];
}

export interface ReducedQuestion {
  readonly agent: AgentId;
  /** Of the question. */
  readonly method: string;
  readonly revision: string;
  /** What the client's revision cannot carry. */
  readonly lost: readonly string[];
  /** Who asked, where that is known. */
  readonly connector?: ConnectorId;
}

export interface DroppedProgress {
  readonly agent: AgentId;
  readonly connector: ConnectorId;
  readonly callId: CallId;
  /** Progress and log messages. */
  readonly count: number;
}

/** Writes down what did not get across. */
export interface BridgeLosses {
  questionRefused(question: RefusedQuestion): void;
  questionReduced(question: ReducedQuestion): void;
  answerReduced(answer: ReducedAnswer): void;
  /** Once for a call. */
  progressDropped(dropped: DroppedProgress): void;
}

const MAX_NOTED = 10;
const WINDOW_MS = 5 * 60_000;
const QUESTIONS: ReadonlySet<string> = new Set<InputRequest['method']>([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);

/** Beyond a number of the same kind nothing is written: a server that keeps asking must not fill the log. */
export function createBridgeLosses({
  events,
  clock,
}: {
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}): BridgeLosses {
  const noted = new AttemptWindow({ limit: MAX_NOTED, windowMs: WINDOW_MS });
  const isNews = (...parts: readonly string[]): boolean => noted.note(parts.join('\n'), clock.monotonic());
  return {
    questionRefused({ connector, method, reason, agent, callId }) {
      // A server may invent methods without end, so those count as one.
      if (!isNews('question', connector, QUESTIONS.has(method) ? method : '', reason)) return;
      events.append(agent === undefined ? { kind: 'hub' } : { kind: 'agent', id: agent }, {
        type: 'question.refused',
        connector,
        method: method.slice(0, 100),
        reason,
        ...(callId !== undefined && { callId }),
      });
    },
    questionReduced({ agent, ...facts }) {
      if (!isNews('reduced', facts.connector ?? '', facts.method, ...facts.lost)) return;
      events.append({ kind: 'agent', id: agent }, { type: 'question.reduced', ...facts });
    },
    answerReduced({ agent, exposedName, ...facts }) {
      if (!isNews('answer', facts.connector, exposedName, ...facts.lost)) return;
      const shown = exposedName.slice(0, 200);
      events.append({ kind: 'agent', id: agent }, { type: 'answer.reduced', exposedName: shown, ...facts });
    },
    progressDropped({ agent, ...facts }) {
      events.append({ kind: 'agent', id: agent }, { type: 'progress.dropped', ...facts });
    },
  };
}

/** Whether somebody with these capabilities said that he can be asked this. */
export function isDeclared({ method, params }: InputRequest, declared: ClientCapabilities = {}): boolean {
  switch (method) {
    case 'elicitation/create':
      return supportsElicitation(declared, params?.['mode'] === 'url' ? 'url' : 'form');
    case 'sampling/createMessage':
      return (
        declared.sampling !== undefined &&
        (params?.['tools'] === undefined || declared.sampling.tools !== undefined)
      );
    case 'roots/list':
      return declared.roots !== undefined;
  }
}
