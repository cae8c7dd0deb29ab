import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson } from '../../../test/support/arbitrary-json.js';
import type { ErrorObject, Json } from '../jsonrpc/index.js';
import { judgeProbe, type ProbeAnswer, type ProbeVerdict } from './index.js';

const MODERN: ProbeVerdict = { era: 'modern', revision: '2026-07-28', discovered: true };
const MODERN_UNSEEN: ProbeVerdict = { era: 'modern', revision: '2026-07-28', discovered: false };
const LEGACY: ProbeVerdict = { era: 'legacy' };
const UNKNOWN: ProbeVerdict = { era: 'unknown' };

function discovered(...supportedVersions: string[]): ProbeAnswer {
  return { kind: 'result', result: { supportedVersions, capabilities: {} } };
}
function error(code: number, status: number | undefined, data?: Json): ProbeAnswer {
  const object: ErrorObject = { code, message: '', ...(data !== undefined && { data }) };
  return { kind: 'error', error: object, status };
}
function refused(status: number | undefined, ...supported: string[]): ProbeAnswer {
  return error(-32022, status, { supported, requested: '2026-07-28' });
}
function incompatible(...supported: string[]): ProbeVerdict {
  return { era: 'incompatible', supported };
}

describe('C1: results', () => {
  test.each<[string, ProbeAnswer, ProbeVerdict]>([
    ['our version', discovered('2026-07-28'), MODERN],
    ['several versions', discovered('2031-01-01', '2026-07-28'), MODERN],
    ['A4: both eras', discovered('2026-07-28', '2025-11-25', '2025-06-18'), MODERN],
    ['A4: both eras, legacy first', discovered('2024-11-05', '2026-07-28'), MODERN],
    [
      'legacy versions only, as Go servers answer',
      discovered('2025-11-25', '2025-06-18', '2024-11-05'),
      LEGACY,
    ],
    ['older versions than we speak', discovered('2024-10-07'), LEGACY],
    ['a later version only', discovered('2031-01-01'), incompatible('2031-01-01')],
    ['a draft only', discovered('DRAFT-2026-v1'), incompatible('DRAFT-2026-v1')],
    ['a later version and a legacy one', discovered('2031-01-01', '2025-11-25'), LEGACY],
    [
      'a later version and one nobody speaks',
      discovered('2031-01-01', '2024-10-07'),
      incompatible('2031-01-01', '2024-10-07'),
    ],
    ['no versions', discovered(), LEGACY],
    ['versions that are no list', { kind: 'result', result: { supportedVersions: '2026-07-28' } }, LEGACY],
    [
      'versions that are no texts',
      { kind: 'result', result: { supportedVersions: ['2026-07-28', 7] } },
      LEGACY,
    ],
    ['an empty result', { kind: 'result', result: {} }, LEGACY],
    ['a result that is no object', { kind: 'result', result: null }, LEGACY],
    ['a result that is a list', { kind: 'result', result: ['2026-07-28'] }, LEGACY],
  ])('%s', (_name, answer, verdict) => {
    expect(judgeProbe(answer)).toEqual(verdict);
  });
});

describe('C2, C3: errors', () => {
  test.each<[string, ProbeAnswer, ProbeVerdict]>([
    ['-32022 with our version', refused(400, '2026-07-28'), MODERN_UNSEEN],
    ['-32022 over stdio', refused(undefined, '2026-07-28'), MODERN_UNSEEN],
    ['-32022 in band', refused(200, '2026-07-28'), MODERN_UNSEEN],
    ['-32022 with both eras', refused(400, '2025-11-25', '2026-07-28'), MODERN_UNSEEN],
    ['-32022 with legacy versions', refused(400, '2025-11-25', '2025-06-18'), LEGACY],
    ['-32022 with a later version', refused(400, '2031-01-01'), incompatible('2031-01-01')],
    ['-32022 with a later and a legacy version', refused(400, '2031-01-01', '2025-06-18'), LEGACY],
    ['-32022 without versions', error(-32022, 400), LEGACY],
    ['-32022 with an empty list', refused(400), LEGACY],
    ['-32022 with other data', error(-32022, 400, { supported: 'all' }), LEGACY],
    ['-32022 behind a wall', refused(401, '2026-07-28'), UNKNOWN],
    ['-32022 in an outage', refused(503, '2026-07-28'), UNKNOWN],
    ['early -32004 with versions', error(-32004, 400, { supported: ['2026-07-28'] }), MODERN_UNSEEN],
    ['-32004 without versions', error(-32004, 400), LEGACY],
    ['another code with versions', error(-32602, 400, { supported: ['2026-07-28'] }), LEGACY],
    ['initialize expected, with versions', error(-32600, 400, { supported: ['2025-06-18'] }), LEGACY],
    ['-32020 with 400', error(-32020, 400), MODERN_UNSEEN],
    ['-32021 with 400', error(-32021, 400, { requiredCapabilities: {} }), MODERN_UNSEEN],
    ['-32020 with 200', error(-32020, 200), LEGACY],
    ['-32021 with 404', error(-32021, 404), LEGACY],
    ['-32020 over stdio', error(-32020, undefined), LEGACY],
    [
      'early -32003 with capabilities',
      error(-32003, 400, { requiredCapabilities: { roots: {} } }),
      MODERN_UNSEEN,
    ],
    ['-32003 without', error(-32003, 400), LEGACY],
    ['-32001, which is "session not found" too', error(-32001, 400), LEGACY],
    ['-32001 with 404', error(-32001, 404), LEGACY],
    ['-32000 "not initialized"', error(-32000, 400), LEGACY],
    ['-32601', error(-32601, 200), LEGACY],
    ['-32601 with 404', error(-32601, 404), LEGACY],
    ['-32601 over stdio', error(-32601, undefined), LEGACY],
    ['-32602', error(-32602, 400), LEGACY],
    ['-32603 with 500', error(-32603, 500), UNKNOWN],
    ['-32603 in band', error(-32603, 200), LEGACY],
    ['-32700', error(-32700, 400), LEGACY],
  ])('%s', (_name, answer, verdict) => {
    expect(judgeProbe(answer)).toEqual(verdict);
  });
});

describe('answers without JSON-RPC', () => {
  test.each([400, 404, 405, 406, 410, 415, 422, 200, 202, 204, 301, 307])('%i says legacy', (status) => {
    expect(judgeProbe({ kind: 'status', status })).toEqual(LEGACY);
  });

  test.each([401, 403, 407, 408, 429, 500, 502, 503, 504, 521, 599])('%i says nothing', (status) => {
    expect(judgeProbe({ kind: 'status', status })).toEqual(UNKNOWN);
  });

  test('C9: silence says legacy', () => {
    expect(judgeProbe({ kind: 'silence' })).toEqual(LEGACY);
  });
});

test('any answer has a verdict, and modern ones name a version we speak', () => {
  const data = fc.oneof(
    arbitraryJson(),
    fc.record({ supported: fc.array(fc.constantFrom('2026-07-28', '2025-11-25', 'x')) }),
  );
  const answer: fc.Arbitrary<ProbeAnswer> = fc.oneof(
    arbitraryJson().map((result) => ({ kind: 'result' as const, result })),
    fc
      .tuple(
        fc.integer({ min: -32100, max: -31990 }),
        fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
        data,
      )
      .map(([code, status, extra]) => error(code, status, extra)),
  );
  fc.assert(
    fc.property(answer, (each) => {
      const verdict = judgeProbe(each);
      expect(['modern', 'legacy', 'incompatible', 'unknown']).toContain(verdict.era);
      if (verdict.era === 'modern') expect(verdict.revision).toBe('2026-07-28');
    }),
  );
});
