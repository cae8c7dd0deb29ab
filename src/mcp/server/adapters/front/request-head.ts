import type { ExchangeHeaders } from '../../exchange.js';

/** The head of a request as nearly every client writes it. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: ExchangeHeaders;
  /** Of the body, which a `POST` has and others have not. */
  readonly length: number;
}

const REQUEST_LINE = /^(POST|GET|DELETE) (\/[A-Za-z0-9/_-]*) HTTP\/1\.1$/;
const NAME = /^[A-Za-z0-9-]+$/;
const OUTER_BLANKS = /^ *([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?) *$/;
const LENGTH = /^[1-9][0-9]{0,9}$/;

/** Headers that change how a message is framed, or that Node treats in a way of its own. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'expect',
  'keep-alive',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads a head, without its empty line, if it is the ordinary one. Undefined for everything else, right or wrong: that
 * is for Node's own parser to judge. So this never has to be lenient, and never refuses.
 */
export function readOrdinaryHead(text: string, maxHeaders: number): RequestHead | undefined {
  const first = text.indexOf('\r\n');
  if (first === -1) return undefined;
  const [, method, target] = REQUEST_LINE.exec(text.slice(0, first)) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers = readHeaders(text, first + 2, maxHeaders);
  if (headers?.['host'] === undefined) return undefined;
  const { connection, 'content-length': length } = headers;
  if (method === 'POST' ? length === undefined || !LENGTH.test(length) : length !== undefined)
    return undefined;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  return { method, target, headers, length: Number(length ?? 0) };
}

function readHeaders(text: string, start: number, maxHeaders: number): ExchangeHeaders | undefined {
  const headers = new Map<string, string>();
  for (let at = start; at < text.length;) {
    let end = text.indexOf('\r\n', at);
    if (end === -1) end = text.length;
    const colon = text.indexOf(':', at);
    if (colon === -1 || colon >= end || headers.size === maxHeaders) return undefined;
    const name = text.slice(at, colon).toLowerCase();
    // Not `trim`, which takes other blanks away than those of HTTP.
    const value = OUTER_BLANKS.exec(text.slice(colon + 1, end))?.[1] ?? '';
    if (!NAME.test(name) || value === '' || UNUSUAL.has(name)) return undefined;
    // A header that is given twice is joined by Node, or not, as it knows best.
    if (headers.has(name)) return undefined;
    headers.set(name, value);
    at = end + 2;
  }
  // In one order whatever the client's is: an object for each order would be of another shape to V8, and what reads the
  // headers of each call slow for all of them.
  return Object.fromEntries([...headers].sort(byName));
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
