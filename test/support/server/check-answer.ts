import { expect } from 'vitest';
import { Harness, JSON_BOTH, type Fields } from './harness.js';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** A request, and what its answer must be. */
export interface AnswerRow {
  readonly name: string;
  readonly method?: string;
  readonly headers?: Fields;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly code?: number;
  /** `absent`: the error has no id at all. */
  readonly id?: unknown;
  readonly answer?: Fields;
}

/** Inside a session, unless the headers say otherwise. */
export async function checkAnswer(row: AnswerRow, harness = new Harness()): Promise<void> {
  const { id } = await harness.session();
  const base: Fields = { ...JSON_BOTH, 'mcp-session-id': id };
  const method = row.method ?? 'POST';
  const answer = await harness.send(
    method,
    { ...base, ...row.headers },
    method === 'POST' ? (row.body ?? PING) : undefined,
  );
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({
    status: row.status,
    code: row.code,
  });
  if (row.id === 'absent') expect(answer.body).not.toHaveProperty('id');
  else if (row.id !== undefined) expect(answer.body.id).toBe(row.id);
  for (const [name, value] of Object.entries(row.answer ?? {})) expect(answer.headers.get(name)).toBe(value);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toContain('no-store');
}
