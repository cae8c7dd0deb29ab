import type { TestHub } from './start-hub.js';

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** One request to the admin API of a running hub. */
export async function admin(
  hub: Pick<TestHub, 'url' | 'adminToken'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<AdminAnswer> {
  const answer = await fetch(`${hub.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${hub.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}
