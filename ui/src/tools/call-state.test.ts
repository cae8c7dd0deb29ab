import { expect, test } from 'vitest';
import type { ToolCallEvent } from '../api/tools.js';
import { afterMessage, IDLE } from './call-state.js';

const question = {
  type: 'question',
  from: 'upstream',
  mode: 'form',
  message: 'Which?',
  expiresAt: '2026-01-01T00:00:00.000Z',
} as const;

test('a call is the sum of its messages', () => {
  const told: ToolCallEvent[] = [
    { type: 'started', callId: 'c' },
    { type: 'stage', stage: 'policy', ms: 1 },
    { type: 'progress', progress: 1 },
    { type: 'progress', progress: 2, total: 4 },
    { ...question, id: 'a' },
    { ...question, id: 'b' },
    { type: 'question_over', id: 'a', reason: 'answered' },
    { type: 'question_refused', method: 'roots/list' },
  ];
  const running = told.reduce(afterMessage, IDLE);
  expect(running).toMatchObject({
    callId: 'c',
    stages: [{ stage: 'policy', ms: 1, waitedMs: 0 }],
    progress: { progress: 2, total: 4 },
    questions: [{ id: 'b' }],
    refused: ['roots/list'],
  });
  expect(running.missed).toBeUndefined();
  expect(afterMessage(running, { type: 'question_over', id: 'b', reason: 'expired' })).toMatchObject({
    questions: [],
    missed: 'expired',
  });
  expect(afterMessage(running, { type: 'result', callId: 'c', result: { content: [] } })).toMatchObject({
    phase: 'done',
    questions: [],
    result: { content: [] },
  });
});
