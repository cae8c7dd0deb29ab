import {
  INVALID_PARAMS,
  isObject,
  JsonError,
  parseJson,
  ProtocolError,
  stringifyJson,
  toMessage,
  type JsonObject,
  type Message,
} from '../../../src/mcp/jsonrpc/index.js';
import {
  checkModernRequest,
  classifyInbound,
  envelopeKeys,
  HEADER_MISMATCH,
  readEnvelope,
  readProgressToken,
  routingHeaders,
  UNSUPPORTED_REVISION,
  withMeta,
  withoutHopMeta,
} from '../../../src/mcp/wire/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

/** `{"message":…,"headers":…}`: a client's message, from the era to the last check. */
export const INBOUND: FuzzTarget = {
  name: 'inbound',
  dictionary: [
    '"message":',
    '"headers":',
    '"jsonrpc":"2.0"',
    '"id":1',
    '"method":"tools/call"',
    '"method":"initialize"',
    '"method":"resources/read"',
    '"params":{',
    '"_meta":{',
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28"',
    '"io.modelcontextprotocol/clientCapabilities":{}',
    '"io.modelcontextprotocol/clientInfo":',
    '"io.modelcontextprotocol/logLevel":"info"',
    '"progressToken":',
    '"mcp-protocol-version":"2026-07-28"',
    '"mcp-method":"tools/call"',
    '"mcp-name":"x"',
    '"name":"x"',
    '"uri":"x"',
    '2025-11-25',
    '2031-01-01',
    '=?base64?eA==?=',
    '1e400',
    'null',
    '"__proto__":',
    '{',
    '}',
    ',',
    ' ',
  ],
  run(input) {
    const { message, headers } = read(textOf(input));
    if (message === undefined || (message.kind !== 'request' && message.kind !== 'notification'))
      return 'no call';
    try {
      const era = classifyInbound(message, headers);
      readProgressToken(message.params);
      checkMeta(message.params ?? {});
      if (era === 'legacy' || message.kind === 'notification') return `${era} ${message.kind}`;
      const envelope = checkModernRequest(message, headers);
      const own = withMeta(withoutHopMeta(message.params ?? {}), envelopeKeys(envelope));
      promise(
        stringifyJson(readEnvelope(own)) === stringifyJson(envelope),
        'an envelope that is written is the one that was read',
      );
      checkModernRequest({ ...message, params: own }, routingHeaders(envelope.revision, message.method, own));
      return 'modern request';
    } catch (error) {
      if (error instanceof ProtocolError && REFUSALS.has(error.code)) return error.message;
      throw error;
    }
  },
};

const REFUSALS: ReadonlySet<number> = new Set([INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_REVISION]);

function read(text: string): { message?: Message; headers: Record<string, string> } {
  try {
    const value = parseJson(text);
    const { message, headers } = isObject(value) ? value : {};
    const sent = Object.entries(isObject(headers) ? headers : {}).flatMap(([name, each]) =>
      typeof each === 'string' ? [[name, each] as const] : [],
    );
    return { message: toMessage(message), headers: Object.fromEntries(sent) };
  } catch (error) {
    if (error instanceof JsonError || error instanceof ProtocolError) return { headers: {} };
    throw error;
  }
}

function checkMeta(params: JsonObject): void {
  const { _meta: before, ...rest } = params;
  const { _meta: after, ...kept } = withoutHopMeta(params);
  promise(stringifyJson(kept) === stringifyJson(rest), 'other params stay');
  const left = isObject(after) ? Object.keys(after) : [];
  promise(!left.includes('progressToken'), 'the progress token goes');
  promise(!left.some((key) => key.startsWith('io.modelcontextprotocol/')), 'the envelope goes');
  const vendor = isObject(before)
    ? Object.keys(before).filter((key) => !key.includes('/') && key !== 'progressToken')
    : [];
  promise(
    vendor.every((key) => left.includes(key)),
    'other keys stay',
  );
}
