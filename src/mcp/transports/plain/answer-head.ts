import type { AnswerHeaders } from '../http-headers.js';
import { TransportError } from '../transport.js';

/** How the body of an answer is delimited (RFC 9112, section 6.3). */
export type Framing = number | 'chunked' | 'until_end';

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly framing: Framing;
  /** For how long the connection may be used again afterwards; undefined: as long as we like; 0: not at all. */
  readonly keepMs: number | undefined;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LENGTH = /^[0-9]{1,15}$/;
const KEEP_TIMEOUT = /(?:^|,)\s*timeout=([0-9]{1,6})\s*(?:,|$)/i;
/** A server that says when it closes a quiet connection is believed, and left some time for what is on its way. */
const KEEP_MARGIN_MS = 2_000;
const MAX_HEADERS = 256;

/** What anybody here looks at. Others only have to be well-formed. */
const KEPT: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
]);

/**
 * Reads the head of an answer, without its empty line. There is no leniency: whatever could be read in two ways is an
 * error. Throws `TransportError`.
 */
export function readAnswerHead(text: string): AnswerHead {
  const first = text.indexOf('\r\n');
  const line = STATUS_LINE.exec(first === -1 ? text : text.slice(0, first));
  if (line === null) throw notHttp();
  const fields = first === -1 ? new AnswerFields() : readFields(text, first + 2);
  const status = Number(line[2]);
  const isOld = line[1] === '0';
  return {
    status,
    headers: fields.kept,
    framing: framingOf(status, fields, isOld),
    keepMs: keepMsOf(fields, isOld),
  };
}

class AnswerFields {
  readonly kept: Record<string, string | readonly string[]> = {};
  length: string | undefined;
  coding: string | undefined;
  connection = '';
  keepAlive = '';

  add(name: string, value: string): void {
    switch (name) {
      case 'content-length':
        if (this.length !== undefined) throw notHttp();
        this.length = value;
        break;
      case 'transfer-encoding':
        if (this.coding !== undefined) throw notHttp();
        this.coding = value;
        return;
      case 'connection':
        this.connection += `,${value}`;
        return;
      case 'keep-alive':
        this.keepAlive = value;
        return;
    }
    if (!KEPT.has(name)) return;
    const before = this.kept[name];
    this.kept[name] = before === undefined ? value : [before, value].flat();
  }
}

function readFields(text: string, start: number): AnswerFields {
  const fields = new AnswerFields();
  let count = 0;
  for (let at = start; at < text.length;) {
    let end = text.indexOf('\r\n', at);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', at);
    if (colon === -1 || colon >= end || ++count > MAX_HEADERS) throw notHttp();
    const name = text.slice(at, colon);
    const value = text.slice(colon + 1, end);
    if (!TOKEN.test(name) || !VALUE.test(value)) throw notHttp();
    fields.add(name.toLowerCase(), trimmed(value));
    at = end + 2;
  }
  return fields;
}

function framingOf(status: number, { length, coding }: AnswerFields, isOld: boolean): Framing {
  // Answers with these have no body, whatever they say.
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) {
    // With both, each end could read another message.
    if (length !== undefined || isOld || coding.toLowerCase() !== 'chunked') throw notHttp();
    return 'chunked';
  }
  if (length === undefined) return 'until_end';
  if (!LENGTH.test(length)) throw notHttp();
  return Number(length);
}

function keepMsOf({ connection, keepAlive }: AnswerFields, isOld: boolean): number | undefined {
  if (connection !== '') {
    const options = connection.toLowerCase();
    if (options !== ',keep-alive' && /,\s*close\s*(?:,|$)/.test(options)) return 0;
    if (isOld && !/,\s*keep-alive\s*(?:,|$)/.test(options)) return 0;
  } else if (isOld) {
    return 0;
  }
  if (keepAlive === '') return undefined;
  const seconds = KEEP_TIMEOUT.exec(keepAlive)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1000 - KEEP_MARGIN_MS);
}

/** Without the blanks around it; others than these cannot be in it. */
function trimmed(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

export function notHttp(): TransportError {
  return new TransportError('HTTP_INVALID_BODY', 'the answer is not valid HTTP');
}
