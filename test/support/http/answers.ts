import type { ServerResponse } from 'node:http';
import type { SeenRequest } from './scripted-server.js';

export const SSE = { 'content-type': 'text/event-stream' };

export function json(
  response: ServerResponse,
  text: string,
  headers: Record<string, string> = {},
  status = 200,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export function idOf(seen: SeenRequest): number | string {
  // A farewell has no body, and its answer does not matter.
  return seen.method === 'POST' ? JSON.parse(seen.body).id : 'none';
}
