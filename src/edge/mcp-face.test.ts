import { describe, expect, test } from 'vitest';
import { HUB_ERROR_CODES, HubError, toCallId, type HubErrorCode } from '../kernel/index.js';
import { ProtocolError } from '../mcp/jsonrpc/index.js';
import { FacedError, type Face } from '../mcp/server/index.js';
import { ERROR_FACES } from './error-faces.js';
import { toMcpError } from './mcp-face.js';

const facesOf = (error: HubError, method: string): FacedError => {
  const faced = toMcpError(error, method);
  if (!(faced instanceof FacedError)) throw new Error('it has no faces');
  return faced;
};
const codeOf = (face: Face): number | 'result' => ('error' in face ? face.error.code : 'result');
const shown = HUB_ERROR_CODES.filter((code) => code !== 'internal' && code !== 'upstream_rejected');

describe('faces', () => {
  test.each<HubErrorCode>(shown)('%s looks to a caller of a tool as the table says', (code) => {
    const { modern, legacy } = facesOf(new HubError(code, 'why'), 'tools/call');
    expect([codeOf(modern), codeOf(legacy)]).toEqual([ERROR_FACES[code].modern, ERROR_FACES[code].legacy]);
  });

  test.each<HubErrorCode>(shown)('%s is never a result of anything but a tool', (code) => {
    const { modern, legacy } = facesOf(new HubError(code, 'why'), 'resources/read');
    for (const face of [modern, legacy]) expect(codeOf(face)).toBeTypeOf('number');
  });

  test.each(shown)('%s: codes of our own lie outside what JSON-RPC and MCP reserve for others', (code) => {
    const { modern } = ERROR_FACES[code];
    if (modern === 'result') return;
    expect([-32_600, -32_602, -32_603].includes(modern) || modern > -32_000).toBe(true);
  });

  test('an unexpected failure shows nothing of itself', () => {
    const error = toMcpError(new HubError('internal', 'canary'), 'tools/call');
    expect(error).toEqual(new ProtocolError(-32_603, 'Internal error'));
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  test('a failure that is written down names the id under which it is', () => {
    const id = toCallId('0e2ad1a4-6d4f-4f3c-8f8a-3f0f3a8f8a11');
    const told = (code: HubErrorCode) =>
      JSON.stringify(toMcpError(new HubError(code, 'why'), 'tools/call', 'unknown', id));
    for (const code of ['internal', 'unknown_tool', 'arguments_invalid'] as const)
      expect(told(code)).toContain(id);
    expect(told('invalid_request')).not.toContain(id);
  });

  test('what is not ours passes as it is', () => {
    const signal = { suspended: true };
    const bug = new TypeError('bug');
    expect([toMcpError(signal, 'tools/call'), toMcpError(bug, 'tools/call')]).toEqual([signal, bug]);
  });
});

describe('details', () => {
  test('an upstream that refused keeps its code', () => {
    const { modern } = facesOf(
      new HubError('upstream_rejected', 'nope', { details: { rpcCode: 42 } }),
      'tools/call',
    );
    expect(modern).toMatchObject({ error: { code: 42, message: 'nope' } });
  });

  const pages = [{ mode: 'url', url: 'https://pages.example/x?secret=1', message: 'm', elicitationId: 'e' }];
  test.each([
    ['tools/call', 'unknown', -32_021, 'result'],
    ['tools/call', 'asked', 'result', 'result'],
    ['prompts/get', 'unknown', -32_021, -32_603],
    ['prompts/get', 'asked', -32_603, -32_603],
  ] as const)('B16: a page to visit first, %s, %s', (method, known, modern, legacy) => {
    const error = new HubError('upstream_rejected', 'Visit', { details: { elicitations: pages } });
    const faced = toMcpError(error, method, known);
    if (!(faced instanceof FacedError)) throw new Error('it has no faces');
    expect([codeOf(faced.modern), codeOf(faced.legacy)]).toEqual([modern, legacy]);
    expect(JSON.stringify([faced.modern, faced.legacy])).not.toContain('secret');
  });

  test.each([
    [{ elicitation: { url: {} } }, 'Sorry. The client would have to support elicitation (url).'],
    [{ sampling: {}, roots: {} }, 'Sorry. The client would have to support sampling and roots.'],
  ])('B5: what a client lacks is named: %o', (requiredCapabilities, message) => {
    const error = new HubError('upstream_rejected', 'Sorry.', { details: { requiredCapabilities } });
    expect(toMcpError(error, 'tools/call')).toEqual(
      new ProtocolError(-32_021, message, { requiredCapabilities }),
    );
    expect(toMcpError(error, 'tools/call')).toMatchObject({ message });
  });

  test('a missing resource is named', () => {
    const { modern } = facesOf(
      new HubError('unknown_resource', 'Resource not found', { details: { uri: 'x:1' } }),
      'resources/read',
    );
    expect(modern).toMatchObject({ error: { code: -32_602, data: { uri: 'x:1' } } });
  });

  test('the time to wait and the reason are told', () => {
    const { modern } = facesOf(new HubError('rate_limited', 'slow down', { retryAfterMs: 70 }), 'tools/call');
    expect(modern).toMatchObject({ error: { data: { reason: 'rate_limited', retryAfterMs: 70 } } });
  });

  test.each([
    ['rate_limited', {}, { status: 429, retryAfterMs: 1_000 }],
    ['overloaded', { retryAfterMs: 2_500 }, { status: 503, retryAfterMs: 2_500 }],
    ['storage_unavailable', { outcomeUnknown: true }, undefined],
    ['unknown_tool', {}, undefined],
  ] as const)('%s with %o has the refusal %o', (code, options, refusal) => {
    const { modern, legacy } = facesOf(new HubError(code, 'no', options), 'tools/call');
    for (const face of [modern, legacy]) expect('error' in face && face.refusal).toEqual(refusal);
  });

  test('a model is warned where trying again may do the thing twice, and only there', () => {
    const text = (outcomeUnknown: boolean): unknown => {
      const { modern } = facesOf(
        new HubError('upstream_timeout', 'no answer', { outcomeUnknown }),
        'tools/call',
      );
      return 'result' in modern ? modern.result['content'] : undefined;
    };
    expect(text(false)).toEqual([{ type: 'text', text: 'no answer' }]);
    expect(text(true)).toEqual([
      { type: 'text', text: 'no answer. The call may have been carried out; check before repeating it.' },
    ]);
  });
});
