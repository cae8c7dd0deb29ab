/** Keeps a server busy over plain sockets. It costs a fraction of what any server costs, so it is never the limit. */
import { connect, type Socket } from 'node:net';
import { AnswerReader, type HttpAnswer } from './answer-reader.js';
import { LEGACY_REVISION, MODERN_REVISION, TEXT, TOOL, type Era } from './call.js';
import { takeOrders } from './orders.js';

interface LoadOrder {
  readonly url: string;
  readonly era: Era;
  readonly ms: number;
  readonly connections: number;
}

const CLIENT = { name: 'load', version: '1.0.0' };
/** As wide as any number it may become, so that one buffer serves for all calls. */
const FIRST_ID = 1_000_000_000;
const NO_ANSWER_MS = 10_000;

function toBytes(url: URL, body: object, headers: readonly string[]): Buffer {
  const text = JSON.stringify(body);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Sends one request after another over one connection. `next` gives the bytes of each, or nothing to stop. */
function converse(
  url: URL,
  next: () => Buffer | undefined,
  onAnswer: (answer: HttpAnswer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    const step = (): void => {
      const bytes = next();
      if (bytes === undefined) socket.end();
      else socket.write(bytes);
    };
    const reader = new AnswerReader((answer) => {
      onAnswer(answer);
      step();
    });
    socket.once('connect', step);
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.setTimeout(NO_ANSWER_MS, () => socket.destroy(new Error('the server does not answer')));
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}

async function openSession(url: URL): Promise<string> {
  const params = { protocolVersion: LEGACY_REVISION, capabilities: {}, clientInfo: CLIENT };
  let session = '';
  let step = 0;
  const requests = [
    () => toBytes(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, []),
    () =>
      toBytes(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, [
        `mcp-session-id: ${session}`,
        `mcp-protocol-version: ${LEGACY_REVISION}`,
      ]),
  ];
  await converse(
    url,
    () => requests[step++]?.(),
    ({ head }) => {
      session ||= /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1] ?? '';
    },
  );
  if (session === '') throw new Error('the server opened no session');
  return session;
}

async function toCall(url: URL, era: Era): Promise<Buffer> {
  const call = { jsonrpc: '2.0', id: FIRST_ID, method: 'tools/call' };
  const params = { name: TOOL, arguments: { text: TEXT } };
  if (era === 'legacy') {
    const session = await openSession(url);
    const headers = [`mcp-session-id: ${session}`, `mcp-protocol-version: ${LEGACY_REVISION}`];
    return toBytes(url, { ...call, params }, headers);
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = [`mcp-protocol-version: ${MODERN_REVISION}`, 'mcp-method: tools/call', `mcp-name: ${TOOL}`];
  return toBytes(url, { ...call, params: { ...params, _meta } }, headers);
}

let lastId = FIRST_ID;
const calls = new Map<string, Buffer>();

async function run({ url, era, ms, connections }: LoadOrder): Promise<{ calls: number; ms: number }> {
  const target = new URL(url);
  const key = `${era} ${url}`;
  const known = calls.get(key) ?? (await toCall(target, era));
  calls.set(key, known);
  const idAt = known.indexOf(String(FIRST_ID));
  let answered = 0;
  const begin = performance.now();
  const end = begin + ms;
  const connection = (): Promise<void> => {
    const bytes = Buffer.from(known);
    let id = '';
    return converse(
      target,
      () => {
        // At least one call each, even if the time was up before the connection stood.
        if (id !== '' && performance.now() >= end) return undefined;
        id = String(++lastId);
        bytes.write(id, idAt, 'latin1');
        return bytes;
      },
      ({ status, body }) => {
        if (status !== 200 || !body.includes(TEXT) || !body.includes(id)) {
          throw new Error(`not the answer to the call: status ${status}, ${body.slice(0, 200)}`);
        }
        answered++;
      },
    );
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return { calls: answered, ms: performance.now() - begin };
}

takeOrders(undefined, { run });
