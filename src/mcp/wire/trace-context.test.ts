import { describe, expect, test } from 'vitest';
import { continueTrace, readTrace } from './trace-context.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('readTrace', () => {
  test.each([
    [{ traceparent: PARENT }, { traceparent: PARENT }],
    [
      { traceparent: PARENT, tracestate: 'a=1', baggage: 'b=2' },
      { traceparent: PARENT, tracestate: 'a=1', baggage: 'b=2' },
    ],
    [{ baggage: 'b=2' }, { baggage: 'b=2' }],
    [{ traceparent: `01${PARENT.slice(2)}-more` }, { traceparent: `01${PARENT.slice(2)}-more` }],
    [{ traceparent: `${PARENT}-more` }, undefined],
    [{ traceparent: `ff${PARENT.slice(2)}` }, undefined],
    [{ traceparent: PARENT.toUpperCase() }, undefined],
    [{ traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, undefined],
    [{ traceparent: `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01` }, undefined],
    [{ traceparent: 1 }, undefined],
    [{ tracestate: 'a=1' }, undefined],
    [{ traceparent: 'x', tracestate: 'a=1' }, undefined],
    [{ traceparent: PARENT, tracestate: 'a\r\nb: c' }, { traceparent: PARENT }],
    [{ traceparent: PARENT, tracestate: 'a'.repeat(513) }, { traceparent: PARENT }],
    [{ baggage: 'b'.repeat(8193) }, undefined],
    [{ baggage: 'é' }, undefined],
    [{}, undefined],
  ])('%j', (source, expected) => {
    expect(readTrace(source)).toEqual(expected);
  });
});

describe('continueTrace', () => {
  test('what has nothing to do with traces stays the same object', () => {
    const params = { name: 'a', _meta: { 'vendor/key': 1 } };
    expect(continueTrace(params, { accept: '*/*' })).toBe(params);
    expect(continueTrace(params, { traceparent: 'nonsense' })).toBe(params);
  });

  test('_meta counts before headers, and headers where it says nothing that is well-formed', () => {
    const headers = { traceparent: PARENT };
    expect(continueTrace({}, headers)).toEqual({ _meta: { traceparent: PARENT } });
    expect(continueTrace({ _meta: { baggage: 'own=1' } }, headers)).toEqual({ _meta: { baggage: 'own=1' } });
    expect(continueTrace({ _meta: { traceparent: 't', a: 1 } }, headers)).toEqual({
      _meta: { a: 1, traceparent: PARENT },
    });
  });

  test('what is not well-formed is dropped', () => {
    expect(continueTrace({ name: 'a', _meta: { traceparent: 't' } }, undefined)).toEqual({ name: 'a' });
  });
});
