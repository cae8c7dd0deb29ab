import type { CallStage, ToolCallEvent, ToolCallQuestion } from '../api/tools.js';
import type { Arguments } from './schema-fields.js';

type Told<Type extends ToolCallEvent['type']> = Extract<ToolCallEvent, { readonly type: Type }>;

export interface TimedStage {
  readonly stage: CallStage;
  readonly ms: number;
  readonly waitedMs: number;
}

/** What is known of the call that was made last. */
export interface CallState {
  readonly phase: 'idle' | 'running' | 'cancelled' | 'failed' | 'done';
  readonly callId?: string;
  readonly decision?: Told<'decision'>;
  readonly stages: readonly TimedStage[];
  readonly progress?: Told<'progress'>;
  readonly questions: readonly ToolCallQuestion[];
  /** What the server asked for that is not to be had here. */
  readonly refused: readonly string[];
  /** A question that ended without an answer. */
  readonly missed?: 'expired' | 'withdrawn';
  readonly result?: Arguments;
  readonly error?: unknown;
  /** From sending to the last message, as this browser saw it. */
  readonly roundTripMs?: number;
}

export const IDLE: CallState = { phase: 'idle', stages: [], questions: [], refused: [] };

/** The state after a message. */
export function afterMessage(state: CallState, message: ToolCallEvent): CallState {
  switch (message.type) {
    case 'started':
      return { ...state, callId: message.callId };
    case 'decision':
      return { ...state, decision: message };
    case 'stage':
      return {
        ...state,
        stages: [...state.stages, { stage: message.stage, ms: message.ms, waitedMs: message.waitedMs ?? 0 }],
      };
    case 'progress':
      return { ...state, progress: message };
    case 'question':
      return { ...state, questions: [...state.questions, message] };
    case 'question_over': {
      const questions = state.questions.filter(({ id }) => id !== message.id);
      return message.reason === 'answered'
        ? { ...state, questions }
        : { ...state, questions, missed: message.reason };
    }
    case 'question_refused':
      return { ...state, refused: [...state.refused, message.method] };
    case 'result':
      return { ...state, phase: 'done', questions: [], result: message.result };
    case 'error':
      return { ...state, phase: 'failed', questions: [], error: message.error };
  }
}
