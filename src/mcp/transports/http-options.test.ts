import { describe, expect, test } from 'vitest';
import { openEndpoint } from './http-endpoint.js';
import { requireLimits, requireTimeouts } from './http-options.js';

test('defaults', () => {
  expect(requireLimits()).toEqual({ responseBytes: 8_388_608, streamBytes: 67_108_864, sseReconnects: 5 });
  expect(requireTimeouts()).toMatchObject({
    connectMs: 5000,
    firstByteMs: 30_000,
    idleMs: 60_000,
    totalMs: 120_000,
  });
  expect(requireTimeouts({ idleMs: 7 })).toMatchObject({ connectMs: 5000, idleMs: 7 });
  const undecided = { responseBytes: undefined } as Parameters<typeof requireLimits>[0];
  expect(requireLimits(undecided)).toEqual(requireLimits());
});

describe('refused', () => {
  const url = new URL('http://127.0.0.1/mcp');
  test.each([
    [{ url: new URL('ftp://127.0.0.1/') }, TypeError],
    [{ url: new URL('file:///etc/passwd') }, TypeError],
    [{ url: new URL('http://user:secret@127.0.0.1/') }, TypeError],
    [{ url, limits: { responseBytes: 0 } }, RangeError],
    [{ url, limits: { streamBytes: Number.NaN } }, RangeError],
    [{ url, limits: { sseReconnects: 21 } }, RangeError],
    [{ url, limits: { sseReconnects: -1 } }, RangeError],
    [{ url, timeouts: { connectMs: 0 } }, RangeError],
    [{ url, timeouts: { totalMs: Number.POSITIVE_INFINITY } }, RangeError],
    [{ url, timeouts: { idleMs: 1.5 } }, RangeError],
  ])('%o', (options, kind) => {
    const opening = (): unknown => openEndpoint(options);
    expect(opening).toThrow(kind);
    expect(opening).not.toThrow(/secret/);
  });
});
