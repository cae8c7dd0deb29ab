import { classifyInboundRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INVALID_PARAMS, ProtocolError, toMessage, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  checkModernRequest,
  classifyInbound,
  HEADER_METHOD,
  HEADER_MISMATCH,
  HEADER_REVISION,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_REVISION,
  metaOf,
  UNSUPPORTED_REVISION,
} from './index.js';

const MODERN = '2026-07-28';

type Headers = Readonly<Record<string, string | undefined>>;

/** The era, or the code of the refusal. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
}

describe('the official classifier', () => {
  const revision = fc.constantFrom<Json>(
    MODERN,
    '2025-11-25',
    '2025-03-26',
    '2024-11-05',
    '2031-01-01',
    7,
    null,
    {},
  );
  const capabilities = fc.constantFrom<Json>(
    {},
    { roots: {} },
    { elicitation: { form: {} } },
    { sampling: null },
    null,
    [],
    'x',
  );
  const meta = fc.record(
    {
      [META_REVISION]: revision,
      [META_CLIENT_CAPABILITIES]: fc.oneof({ weight: 3, arbitrary: fc.constant<Json>({}) }, capabilities),
      [META_CLIENT_INFO]: fc.constantFrom<Json>({ name: 'a', version: '1' }, { name: 'a' }, 'a', null),
      [META_LOG_LEVEL]: fc.constantFrom<Json>('info', 'loud', 5),
      progressToken: fc.constantFrom<Json>(1, 'a'),
    },
    { requiredKeys: [] },
  );
  const method = fc.constantFrom('initialize', 'tools/call', 'ping', 'n');
  const header = fc.constantFrom(
    MODERN,
    ` ${MODERN} `,
    '2025-11-25',
    '2024-11-05',
    '2031-01-01',
    '1999-01-01',
  );
  const message = fc
    .record({
      id: fc.option(fc.constant(1), { nil: undefined }),
      method,
      params: fc.option(
        fc.record(
          { _meta: fc.oneof(meta, fc.constant<Json>({})), name: fc.constant('x') },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
    })
    .map(({ id, params, ...rest }) => ({
      jsonrpc: '2.0',
      ...rest,
      ...(id !== undefined && { id }),
      ...(params !== undefined && { params }),
    }));
  const headers = fc.record(
    {
      [HEADER_REVISION]: header,
      [HEADER_METHOD]: fc.oneof(
        method,
        method.map((name) => `${name} `),
      ),
    },
    { requiredKeys: [] },
  );

  function theirs(body: JsonObject, sent: Headers): unknown {
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      body,
      ...(sent[HEADER_REVISION] !== undefined && { protocolVersionHeader: sent[HEADER_REVISION] }),
      ...(sent[HEADER_METHOD] !== undefined && { mcpMethodHeader: sent[HEADER_METHOD] }),
    });
    return outcome.kind === 'reject' ? outcome.code : outcome.kind;
  }

  /** Both steps of ours, without what the official one leaves to later steps: absent headers and unknown versions. */
  function ours(body: JsonObject, sent: Headers): unknown {
    return outcomeOf(() => {
      const read = toMessage(body);
      if (read.kind !== 'request' && read.kind !== 'notification') throw new Error('neither');
      const era = classifyInbound(read, sent);
      if (era === 'legacy' || read.kind === 'notification') return era;
      const claimed = metaOf(read.params)?.[META_REVISION];
      const complete = {
        [HEADER_REVISION]: typeof claimed === 'string' ? claimed : '',
        [HEADER_METHOD]: read.method,
        ...sent,
      };
      try {
        checkModernRequest({ ...read, params: { ...read.params, name: undefined } }, complete);
      } catch (error) {
        if (!(error instanceof ProtocolError && error.code === UNSUPPORTED_REVISION)) throw error;
        // Refused for its version before its method is looked at.
        return sent[HEADER_METHOD] === undefined || sent[HEADER_METHOD].trim() === read.method
          ? era
          : HEADER_MISMATCH;
      }
      return era;
    });
  }

  test('agrees with ours', () => {
    const seen = new Set<unknown>();
    fc.assert(
      fc.property(message, headers, (body, sent) => {
        const claimed = metaOf(body.params)?.[META_REVISION];
        // A notification that claims a legacy version is modern to both, but only we still compare its method.
        fc.pre('id' in body || typeof claimed !== 'string' || claimed >= MODERN);
        const expected = theirs(body, sent);
        seen.add(expected);
        expect(ours(body, sent)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(seen).toEqual(new Set(['legacy', 'modern', INVALID_PARAMS, HEADER_MISMATCH]));
  });

  test('differs where a version is no date: to us it says nothing about the era', () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const sent = { [HEADER_REVISION]: 'garbage' };
    expect([ours(body, sent), theirs(body, sent)]).toEqual(['legacy', INVALID_PARAMS]);
  });
});
