import { onTestFinished } from 'vitest';
import {
  StreamableHttpTransport,
  TransportError,
  type HttpTransportOptions,
  type Outgoing,
  type Transport,
} from '../../../src/mcp/transports/index.js';
import { RecordingReceiver } from './recording-receiver.js';
import { serve, serveBytes, type Script, type ScriptedServer } from './scripted-server.js';

/** Short enough for a test, long enough for a busy machine. */
export const QUICK = {
  connectMs: 2000,
  firstByteMs: 2000,
  idleMs: 2000,
  totalMs: 4000,
  closeMs: 500,
} as const;

export interface OpenTransport {
  readonly transport: Transport;
  readonly receiver: RecordingReceiver;
}

/** A server for the time of the test that calls this. */
export async function host(script: Script): Promise<ScriptedServer> {
  const server = await serve(script);
  onTestFinished(() => server.close());
  return server;
}

export async function hostBytes(script: Parameters<typeof serveBytes>[0]): Promise<ScriptedServer> {
  const server = await serveBytes(script);
  onTestFinished(() => server.close());
  return server;
}

/** A started transport for the time of the test that calls this. */
export async function open(
  url: URL,
  options: Omit<HttpTransportOptions, 'url'> = {},
): Promise<OpenTransport> {
  const receiver = new RecordingReceiver();
  const transport = new StreamableHttpTransport({
    environment: {},
    ...options,
    url,
    timeouts: { ...QUICK, ...options.timeouts },
  });
  onTestFinished(() => transport.close());
  await transport.start(receiver);
  return { transport, receiver };
}

export function request(id: number | string, method = 'tools/call', more: Partial<Outgoing> = {}): Outgoing {
  return { id, method, text: JSON.stringify({ jsonrpc: '2.0', id, method, params: {} }), ...more };
}

export function notification(method = 'notifications/initialized'): Outgoing {
  return { method, text: JSON.stringify({ jsonrpc: '2.0', method }) };
}

export function resultText(id: number | string | null, result: unknown = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function errorText(id: number | string | null | undefined, code: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
}

/** What a send came to: `ok`, or the fault. */
export async function outcomeOf(sent: Promise<void>): Promise<TransportError | 'ok'> {
  try {
    await sent;
    return 'ok';
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The fault of a send that must fail. */
export async function faultOf(sent: Promise<void>): Promise<TransportError> {
  const outcome = await outcomeOf(sent);
  if (outcome === 'ok') throw new Error('sent without a fault');
  return outcome;
}
