import { isObject, isRequestId } from '../../jsonrpc/index.js';
import { HEADER_METHOD, HEADER_NAME, HEADER_REVISION, isModernDate } from '../../wire/index.js';
import type { Exchange } from '../exchange.js';
import { BUSY_HEADERS } from './answers.js';
import { readJsonBody } from './read-body.js';

/** A code of our own, outside the ranges that JSON-RPC and MCP keep for themselves. */
const BUSY = -31_053;
const CALL = 'tools/call';
const CALL_MEMBER = '"method":"tools/call"';
const NAME_MEMBER = '"params":{"name":"';
const LONGEST_NAME = 256;
/** What brings an answer continues a call that has been let in. */
const STATE_MEMBER = '"requestState"';
/** Looking through a larger body costs too much, and so does keeping it. */
const LARGEST_UNREAD = 16 * 1024;
const PLAIN_NAME = /^[\w./-]+$/;
const ERROR = `"error":{"code":${BUSY},"message":"The server is busy; try again"}}`;

/** As nearly every client writes a request: its id comes first or last. */
const FIRST = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}|"[\w-]{1,64}"),/;
const LAST = /,"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}|"[\w-]{1,64}")\}$/;
const LONGEST_END = 128;
const OPENING_BRACE = 0x7b;

/** Whether a request asks for a tool, by what can be seen without reading it. What is taken for one by mistake is only refused. */
export function looksLikeCall({ headers, body }: Exchange): boolean {
  return headers[HEADER_METHOD] === CALL || bytesOf(body).includes(CALL_MEMBER, 0, 'latin1');
}

/** The tool that a call names, where that can be seen without reading it and the call does not continue another. */
export function findToolName({ headers, body }: Exchange): string | undefined {
  if (body.length > LARGEST_UNREAD) return undefined;
  const bytes = bytesOf(body);
  // Several calls in one body are several tools.
  if (bytes[0] !== OPENING_BRACE || bytes.includes(STATE_MEMBER, 0, 'latin1')) return undefined;
  const name = headers[HEADER_NAME] ?? nameIn(bytes);
  return name !== undefined && PLAIN_NAME.test(name) ? name : undefined;
}

function nameIn(bytes: Buffer): string | undefined {
  const at = bytes.indexOf(NAME_MEMBER, 0, 'latin1');
  if (at === -1) return undefined;
  const start = at + NAME_MEMBER.length;
  const text = bytes.toString('latin1', start, start + LONGEST_NAME);
  const end = text.indexOf('"');
  return end === -1 ? undefined : text.slice(0, end);
}

/** Turns a request away for as little as possible, since that is done most when there is least to spare. */
export function refuseBusy(exchange: Exchange): void {
  const id = findId(exchange.body);
  const isKnown = id !== undefined || !isModernDate(exchange.headers[HEADER_REVISION]);
  exchange.send(503, BUSY_HEADERS, `{"jsonrpc":"2.0",${isKnown ? `"id":${id ?? 'null'},` : ''}${ERROR}`);
}

/** The id of a request as it is written. */
function findId(body: Uint8Array): string | undefined {
  const bytes = bytesOf(body);
  const first = FIRST.exec(bytes.toString('latin1', 0, LONGEST_END));
  if (first !== null) return first[1];
  const last = LAST.exec(bytes.toString('latin1', Math.max(0, bytes.length - LONGEST_END)));
  return last === null ? readId(body) : last[1];
}

function readId(body: Uint8Array): string | undefined {
  try {
    const value = readJsonBody(body);
    const id = isObject(value) ? value['id'] : undefined;
    return isRequestId(id) ? JSON.stringify(id) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
