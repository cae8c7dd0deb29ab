import { describe, expect, test } from 'vitest';
import {
  INVALID_PARAMS,
  ProtocolError,
  type Json,
  type JsonObject,
  type NotificationMessage,
  type RequestMessage,
} from '../jsonrpc/index.js';
import {
  checkModernRequest,
  classifyInbound,
  HEADER_METHOD,
  HEADER_MISMATCH,
  HEADER_NAME,
  HEADER_REVISION,
  META_CLIENT_CAPABILITIES,
  META_REVISION,
  readModernEnvelope,
  UNSUPPORTED_REVISION,
} from './index.js';

const MODERN = '2026-07-28';
const ENVELOPE = { [META_REVISION]: MODERN, [META_CLIENT_CAPABILITIES]: {} };

type Headers = Readonly<Record<string, string | undefined>>;

function request(method: string, params?: JsonObject): RequestMessage {
  return { kind: 'request', id: 1, method, params };
}
function notification(method: string, params?: JsonObject): NotificationMessage {
  return { kind: 'notification', method, params };
}
/** The era, or the code of the refusal. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}

describe('S23, S25: the era of a message', () => {
  const claim = (revision: Json): JsonObject => ({ _meta: { ...ENVELOPE, [META_REVISION]: revision } });

  test.each<[string, RequestMessage | NotificationMessage, Headers, unknown]>([
    ['claim', request('tools/call', claim(MODERN)), {}, 'modern'],
    ['claim, modern header', request('tools/call', claim(MODERN)), { [HEADER_REVISION]: MODERN }, 'modern'],
    [
      'claim, legacy header',
      request('tools/call', claim(MODERN)),
      { [HEADER_REVISION]: '2025-11-25' },
      'modern',
    ],
    ['claim of a later version', request('tools/call', claim('2031-01-01')), {}, 'modern'],
    ['A5: claim of a legacy version', request('tools/call', claim('2025-11-25')), {}, 'modern'],
    ['claim that is no string', request('tools/call', claim(7)), {}, 'modern'],
    [
      'claim without capabilities',
      request('tools/call', { _meta: { [META_REVISION]: MODERN } }),
      {},
      'modern',
    ],
    ['no claim', request('tools/call'), {}, 'legacy'],
    ['no claim, legacy header', request('tools/call'), { [HEADER_REVISION]: '2025-06-18' }, 'legacy'],
    ['no claim, M-8 header', request('tools/call'), { [HEADER_REVISION]: 'garbage' }, 'legacy'],
    ['no claim, two headers', request('tools/call'), { [HEADER_REVISION]: `${MODERN}, ${MODERN}` }, 'legacy'],
    ['no claim, modern header', request('tools/call'), { [HEADER_REVISION]: MODERN }, INVALID_PARAMS],
    ['no claim, later header', request('tools/call'), { [HEADER_REVISION]: '2031-01-01' }, INVALID_PARAMS],
    [
      'no claim, modern header with blanks',
      request('ping'),
      { [HEADER_REVISION]: ` ${MODERN}\t` },
      INVALID_PARAMS,
    ],
    ['initialize', request('initialize', { protocolVersion: MODERN }), {}, 'legacy'],
    ['initialize, legacy header', request('initialize'), { [HEADER_REVISION]: '2025-11-25' }, 'legacy'],
    ['initialize, modern header', request('initialize'), { [HEADER_REVISION]: MODERN }, HEADER_MISMATCH],
    [
      'initialize with an envelope',
      request('initialize', claim(MODERN)),
      { [HEADER_REVISION]: MODERN },
      'modern',
    ],
    ['initialize with a later envelope', request('initialize', claim('2031-01-01')), {}, 'modern'],
    ['initialize with a legacy claim', request('initialize', claim('2025-11-25')), {}, 'legacy'],
    [
      'initialize with half an envelope',
      request('initialize', { _meta: { [META_REVISION]: MODERN } }),
      {},
      'legacy',
    ],
    [
      'initialize with half an envelope, modern header',
      request('initialize', { _meta: { [META_REVISION]: MODERN } }),
      { [HEADER_REVISION]: MODERN },
      HEADER_MISMATCH,
    ],
    ['notification', notification('notifications/cancelled', {}), {}, 'legacy'],
    ['notification, legacy header', notification('n'), { [HEADER_REVISION]: '2025-11-25' }, 'legacy'],
    ['notification, modern header', notification('n'), { [HEADER_REVISION]: MODERN }, 'modern'],
    ['notification, garbage header', notification('n'), { [HEADER_REVISION]: 'garbage' }, 'legacy'],
    ['notification with a claim', notification('n', claim(MODERN)), {}, 'modern'],
    [
      'A2: notification, other header',
      notification('n', claim(MODERN)),
      { [HEADER_REVISION]: '2025-11-25' },
      HEADER_MISMATCH,
    ],
    ['notification, claim no string', notification('n', claim(null)), {}, INVALID_PARAMS],
    [
      'A2: notification, other method',
      notification('n', claim(MODERN)),
      { [HEADER_METHOD]: 'm' },
      HEADER_MISMATCH,
    ],
    [
      'A2: notification by header, other method',
      notification('n'),
      { [HEADER_REVISION]: MODERN, [HEADER_METHOD]: 'm' },
      HEADER_MISMATCH,
    ],
    ['legacy notification, other method', notification('n'), { [HEADER_METHOD]: 'm' }, 'legacy'],
    ['notification named initialize', notification('initialize', claim(MODERN)), {}, 'modern'],
  ])('%s', (_name, message, headers, expected) => {
    expect(outcomeOf(() => classifyInbound(message, headers))).toBe(expected);
  });
});

describe('S27-S31: the checks of a modern request, in order', () => {
  const GOOD: Headers = { [HEADER_REVISION]: MODERN, [HEADER_METHOD]: 'tools/call', [HEADER_NAME]: 'x' };
  const params: JsonObject = { name: 'x', _meta: ENVELOPE };

  test('a good one', () => {
    expect(checkModernRequest(request('tools/call', params), GOOD)).toMatchObject({
      revision: MODERN,
      capabilities: {},
    });
  });

  test.each<[string, Headers]>([
    [
      'blanks around values',
      { [HEADER_REVISION]: ` ${MODERN}`, [HEADER_METHOD]: 'tools/call\t', [HEADER_NAME]: ' x ' },
    ],
    ['encoded name', { ...GOOD, [HEADER_NAME]: '=?base64?eA==?=' }],
  ])('accepts %s', (_name, headers) => {
    expect(() => checkModernRequest(request('tools/call', params), headers)).not.toThrow();
  });

  test.each<[string, Headers]>([
    ['no version', { ...GOOD, [HEADER_REVISION]: undefined }],
    ['another version', { ...GOOD, [HEADER_REVISION]: '2025-11-25' }],
    ['two versions', { ...GOOD, [HEADER_REVISION]: `${MODERN}, ${MODERN}` }],
    ['no method', { ...GOOD, [HEADER_METHOD]: undefined }],
    ['another method', { ...GOOD, [HEADER_METHOD]: 'tools/list' }],
    ['a method in another case', { ...GOOD, [HEADER_METHOD]: 'Tools/Call' }],
    ['two methods', { ...GOOD, [HEADER_METHOD]: 'tools/call, tools/call' }],
    ['an encoded method', { ...GOOD, [HEADER_METHOD]: '=?base64?dG9vbHMvY2FsbA==?=' }],
    ['no name', { ...GOOD, [HEADER_NAME]: undefined }],
    ['an empty name', { ...GOOD, [HEADER_NAME]: '' }],
    ['another name', { ...GOOD, [HEADER_NAME]: 'y' }],
    ['a name in another case', { ...GOOD, [HEADER_NAME]: 'X' }],
    ['a name with bad Base64', { ...GOOD, [HEADER_NAME]: '=?base64?eA=?=' }],
    ['two names', { ...GOOD, [HEADER_NAME]: 'x, x' }],
  ])('M-13: refuses %s', (_name, headers) => {
    expect(outcomeOf(() => checkModernRequest(request('tools/call', params), headers))).toBe(HEADER_MISMATCH);
  });

  test.each(['tools/call', 'prompts/get', 'resources/read', 'tasks/get', 'tasks/update', 'tasks/cancel'])(
    '%s needs a name',
    (method) => {
      const members = { name: 'n', uri: 'u', taskId: 't', _meta: ENVELOPE };
      const name = { 'tools/call': 'n', 'prompts/get': 'n', 'resources/read': 'u' }[method] ?? 't';
      const headers = { [HEADER_REVISION]: MODERN, [HEADER_METHOD]: method };
      expect(outcomeOf(() => checkModernRequest(request(method, members), headers))).toBe(HEADER_MISMATCH);
      expect(() =>
        checkModernRequest(request(method, members), { ...headers, [HEADER_NAME]: name }),
      ).not.toThrow();
    },
  );

  test('M-20: a body without a proper name is left to whoever reads params', () => {
    for (const name of [undefined, 7, null, ['x']]) {
      const message = request('tools/call', { name: name as Json, _meta: ENVELOPE });
      expect(() => checkModernRequest(message, { ...GOOD, [HEADER_NAME]: undefined })).not.toThrow();
      expect(() => checkModernRequest(message, GOOD)).not.toThrow();
      const broken = { ...GOOD, [HEADER_NAME]: '=?base64?eA?=' };
      expect(outcomeOf(() => checkModernRequest(message, broken))).toBe(HEADER_MISMATCH);
    }
  });

  test('M-15: a version that is not served tells which are', () => {
    const message = request('tools/call', {
      name: 'x',
      _meta: { ...ENVELOPE, [META_REVISION]: '2031-01-01' },
    });
    try {
      checkModernRequest(message, { ...GOOD, [HEADER_REVISION]: '2031-01-01' });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: UNSUPPORTED_REVISION,
        data: { supported: [MODERN], requested: '2031-01-01' },
      });
    }
  });

  test('an earlier fault is told before a later one', () => {
    const faults: [JsonObject, Headers, number][] = [
      [{ _meta: { [META_REVISION]: '2031-01-01' } }, {}, INVALID_PARAMS],
      [{ _meta: { ...ENVELOPE, [META_REVISION]: '2031-01-01' } }, {}, HEADER_MISMATCH],
      [
        { _meta: { ...ENVELOPE, [META_REVISION]: '2031-01-01' } },
        { [HEADER_REVISION]: '2031-01-01' },
        UNSUPPORTED_REVISION,
      ],
      [
        { _meta: { ...ENVELOPE, [META_REVISION]: '2025-11-25' } },
        { [HEADER_REVISION]: '2025-11-25' },
        UNSUPPORTED_REVISION,
      ],
      [{ name: 'x', _meta: ENVELOPE }, { [HEADER_REVISION]: MODERN }, HEADER_MISMATCH],
    ];
    for (const [body, headers, code] of faults) {
      expect(outcomeOf(() => checkModernRequest(request('tools/call', body), headers))).toBe(code);
    }
  });

  test('without headers the envelope alone is checked', () => {
    expect(readModernEnvelope(request('ping', params), MODERN).revision).toBe(MODERN);
    expect(outcomeOf(() => readModernEnvelope(request('ping'), MODERN))).toBe(INVALID_PARAMS);
  });
});
