import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestHub } from '../support/start-hub.js';

export interface AskedClient {
  readonly client: Client;
  /** The resources it was told of. */
  readonly updated: readonly string[];
}

export const SAMPLE = 'Hello from the model';

/** A client of the second official SDK at the hub's endpoint for everything, with the handlers that its examples use. */
export async function connectAsked(
  hub: TestHub,
  mode: 'legacy' | 'modern',
  content: Readonly<Record<string, string | boolean>>,
): Promise<AskedClient> {
  const client = new Client(
    { name: 'asked', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  const updated: string[] = [];
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: SAMPLE },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updated.push(params.uri),
  );
  const headers = { authorization: `Bearer ${hub.localKey}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit: { headers } }),
  );
  return { client, updated };
}
