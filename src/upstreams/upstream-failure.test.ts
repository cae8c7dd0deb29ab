import { describe, expect, test } from 'vitest';
import { connectorOf } from '../../test/support/catalog-examples.js';
import { HubError, Secret, type HubErrorCode } from '../kernel/index.js';
import { ClientError, type ClientErrorCode } from '../mcp/client/index.js';
import { ProtocolError } from '../mcp/jsonrpc/index.js';
import { TransportError, type TransportErrorCode } from '../mcp/transports/index.js';
import { toHubError, toOpenFailure, whyNotOpened } from './upstream-failure.js';

const CONNECTOR = connectorOf('db');

/** A missing row does not compile. */
const TRANSPORT: Readonly<Record<TransportErrorCode, HubErrorCode>> = {
  CONNECT_FAILED: 'upstream_unavailable',
  CONNECTION_CLOSED: 'upstream_closed',
  EGRESS_DENIED: 'egress_denied',
  TIMEOUT_CONNECT: 'upstream_unavailable',
  TIMEOUT_FIRST_BYTE: 'upstream_timeout',
  TIMEOUT_IDLE: 'upstream_timeout',
  TIMEOUT_TOTAL: 'upstream_timeout',
  ABORTED: 'cancelled',
  HTTP_STATUS: 'upstream_unavailable',
  HTTP_UNAUTHORIZED: 'credential_required',
  HTTP_FORBIDDEN: 'credential_required',
  HTTP_NOT_ACCEPTABLE: 'upstream_protocol',
  HTTP_REDIRECT: 'upstream_protocol',
  HTTP_SESSION_REQUIRED: 'upstream_protocol',
  HTTP_WRONG_CONTENT_TYPE: 'upstream_protocol',
  HTTP_EMPTY_BODY: 'upstream_protocol',
  HTTP_BODY_TOO_LARGE: 'upstream_too_large',
  HTTP_INVALID_BODY: 'upstream_protocol',
  SSE_EVENT_DATA_TOO_LARGE: 'upstream_too_large',
  SSE_STREAM_TOO_LARGE: 'upstream_too_large',
  INVALID_SSE_EVENT_DATA: 'upstream_protocol',
  SSE_STREAM_LOST: 'upstream_closed',
  MCP_SESSION_NOT_FOUND: 'upstream_closed',
  STDIO_SPAWN_FAILED: 'upstream_unavailable',
  STDIO_PIN_BROKEN: 'upstream_unavailable',
  STDIO_EXITED: 'upstream_closed',
  STDIO_LINE_TOO_LONG: 'upstream_too_large',
  STDIO_STDIN_FULL: 'overloaded',
  STDIO_OVER_LIMIT: 'upstream_closed',
};

const CLIENT: Readonly<Record<ClientErrorCode, HubErrorCode>> = {
  incompatible_version: 'upstream_protocol',
  invalid_response: 'upstream_protocol',
  timeout: 'upstream_timeout',
  aborted: 'cancelled',
  closed: 'upstream_closed',
  session_lost: 'upstream_closed',
  page_limit: 'upstream_protocol',
  cursor_repeated: 'upstream_protocol',
  round_limit: 'upstream_protocol',
  input_refused: 'cancelled',
  input_failed: 'upstream_protocol',
  task_cancelled: 'cancelled',
  task_lost: 'upstream_unavailable',
};

describe('faults', () => {
  test.each(Object.entries(TRANSPORT) as [TransportErrorCode, HubErrorCode][])(
    '%s is %s',
    (code, expected) => {
      const error = toHubError(new TransportError(code, 'secret canary', { status: 418 }), CONNECTOR);
      expect(error).toMatchObject({ code: expected, details: { reason: code, status: 418 } });
      expect(error.message).toMatch(/^connector db: .+ \(HTTP 418\)$/);
      expect(error.message).not.toContain('canary');
    },
  );

  test.each(Object.entries(CLIENT) as [ClientErrorCode, HubErrorCode][])('%s is %s', (code, expected) => {
    const error = toHubError(new ClientError(code, 'secret canary'), CONNECTOR);
    expect(error).toMatchObject({ code: expected, details: { reason: code } });
    expect(error.message).not.toContain('canary');
  });

  test.each([true, false])('whether the upstream may have acted is kept: %s', (mayHaveArrived) => {
    const wire = new TransportError('CONNECTION_CLOSED', '', { mayHaveArrived, retryAfterMs: 7 });
    expect(toHubError(wire, CONNECTOR)).toMatchObject({
      outcomeUnknown: mayHaveArrived,
      retryAfterMs: 7,
      cause: wire,
    });
    expect(toHubError(new ClientError('timeout', '', { mayHaveArrived }), CONNECTOR).outcomeUnknown).toBe(
      mayHaveArrived,
    );
  });

  test.each([
    ['STDIO_EXITED', { exitCode: 3 }, 'the process ended with code 3'],
    [
      'STDIO_SPAWN_FAILED',
      { why: 'it is gone (ENOENT)' },
      'the process could not be started: it is gone (ENOENT)',
    ],
    ['STDIO_PIN_BROKEN', { why: 'it is another' }, 'the process was not started: it is another'],
  ] as const)('%s with %j says what is needed to mend it', (code, details, said) => {
    const wire = new TransportError(code, 'secret canary', details);
    expect(toHubError(wire, CONNECTOR).message).toMatch(said);
    expect(whyNotOpened(wire, CONNECTOR)).toMatch(said);
  });

  test('what could not be opened was not acted on', () => {
    const error = toOpenFailure(new TransportError('TIMEOUT_FIRST_BYTE', '', { retryAfterMs: 7 }), CONNECTOR);
    expect(error).toMatchObject({ code: 'upstream_timeout', outcomeUnknown: false, retryAfterMs: 7 });
  });

  test('anything else is internal and says nothing of itself', () => {
    const error = toHubError(new TypeError('canary'), CONNECTOR);
    expect(error).toMatchObject({
      code: 'internal',
      outcomeUnknown: true,
      message: 'connector db: unexpected failure',
    });
  });

  test('our own pass as they are', () => {
    const own = new HubError('overloaded', 'busy');
    expect(toHubError(own, CONNECTOR)).toBe(own);
  });
});

describe("the upstream's own word", () => {
  test.each([
    [-32_602, -32_602],
    [-32_601, -32_601],
    [-32_603, -32_603],
    [-32_000, -32_603],
    [-32_042, -32_603],
    [-32_099, -32_603],
    [-1, -1],
    [42, 42],
  ])('code %i becomes %i', (code, expected) => {
    const error = toHubError(new ProtocolError(code, 'no'), CONNECTOR);
    expect(error).toMatchObject({
      code: 'upstream_rejected',
      message: 'no',
      outcomeUnknown: false,
      details: { rpcCode: expected },
    });
  });

  test('B2.12: its text is cut and cannot act on a terminal', () => {
    const { message } = toHubError(
      new ProtocolError(1, `\u001B[31mred\u202E\r\n${'x'.repeat(600)}`),
      CONNECTOR,
    );
    expect(message).toMatch(/^ \[31mred {3}x+$/);
    expect(message).toHaveLength(512);
  });

  test('its text is not cut amid a character, for which parsers of clients would refuse the whole answer', () => {
    const { message } = toHubError(new ProtocolError(1, `${'x'.repeat(511)}\u{1F600}`), CONNECTOR);
    expect(message).toBe('x'.repeat(511));
  });

  test('U-14: what the upstream was shown is not passed on, should it quote it', () => {
    const shown = { authorization: 'Bearer s3cret-t0ken', 'x-api-key': 'another-one', 'x-short': 'no' };
    const error = new ProtocolError(1, 'no: Bearer s3cret-t0ken, s3cret-t0ken, another-one');
    expect(toHubError(error, CONNECTOR, shown).message).toBe('no: Bearer ***, ***, ***');
  });

  test('U-14: nor is what a process was given', () => {
    const env = { TOKEN: new Secret('s3cret-t0ken'), MODE: new Secret('fast') };
    const endpoint = {
      transport: 'stdio',
      command: 'x',
      args: [],
      env,
      cwd: undefined,
      pins: {},
      idleStopMs: 1,
      maxLifetimeMs: 0,
    } as const;
    const error = new ProtocolError(1, 'fast: s3cret-t0ken is wrong');
    expect(toHubError(error, { ...CONNECTOR, endpoint }).message).toBe('fast: *** is wrong');
  });

  test('U-14: nor is what looks generated in its address', () => {
    const endpoint = {
      transport: 'streamable_http',
      url: 'https://a.example/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp?v=2',
    } as const;
    const error = new ProtocolError(1, 'no MzQ1Njc4OTAtYWJjZGVm1234 at /s/MzQ1Njc4OTAtYWJjZGVm1234/mcp');
    expect(toHubError(error, { ...CONNECTOR, endpoint }).message).toBe('no *** at /s/***/mcp');
  });

  test('U-14: of two that begin alike neither is left half legible', () => {
    const shown = { 'x-user': 'postgres', 'x-database': 'postgres://app:hunter2@db' };
    const error = new ProtocolError(1, 'postgres cannot reach postgres://app:hunter2@db');
    expect(toHubError(error, CONNECTOR, shown).message).toBe('*** cannot reach ***');
  });

  test('an empty text is replaced', () => {
    expect(toHubError(new ProtocolError(1, ''), CONNECTOR).message).toBe('the upstream refused the request');
  });

  test.each([
    [new ProtocolError(-32_002, 'gone'), true],
    [new ProtocolError(-32_602, 'gone', { uri: 'x:1' }), true],
    [new ProtocolError(-32_602, 'bad'), undefined],
    [new ProtocolError(-32_603, 'bad', { uri: 'x:1' }), undefined],
  ])('%s means that a resource is missing: %s', (error, missing) => {
    expect(toHubError(error, CONNECTOR).details?.['missing']).toBe(missing);
  });
});
