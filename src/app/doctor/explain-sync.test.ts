import { expect, test } from 'vitest';
import { explainSyncFailure } from './explain-sync.js';

test.each([
  ['credential_required', true, 'auth', 'crosspoint connector connect x'],
  ['connector_disabled', true, 'list', 'crosspoint connector enable x'],
  ['upstream_unavailable', true, 'command', 'by hand'],
  ['upstream_unavailable', false, 'http', '/mcp'],
  ['upstream_timeout', false, 'list', 'timeouts'],
  ['upstream_timeout', true, 'command', 'standard output'],
  ['upstream_protocol', false, 'era', '/mcp'],
  ['anything_else', false, 'list', 'crosspoint events'],
])('a sync that ends with %s (command: %s) failed at %s', (code, isCommand, step, advice) => {
  const failure = { code, message: 'why', details: { status: 404 } };
  expect(explainSyncFailure('x', failure, { isCommand, isPerAgent: false })).toEqual({
    step,
    state: 'failed',
    detail: 'why',
    advice: expect.stringContaining(advice),
  });
});

test.each([
  ['upstream_protocol', 'incompatible_version', /too old or too new/],
  ['upstream_protocol', 'cursor_repeated', /pages wrongly/],
  ['upstream_protocol', 'HTTP_NOT_ACCEPTABLE', /header Accept/],
  ['upstream_protocol', 'HTTP_SESSION_REQUIRED', /Mcp-Session-Id/],
  ['upstream_protocol', 'HTTP_REDIRECT', /Redirects are not followed/],
  ['upstream_closed', 'session_lost', /balancer/],
  ['upstream_closed', 'MCP_SESSION_NOT_FOUND', /balancer/],
  ['upstream_too_large', 'HTTP_BODY_TOO_LARGE', /limits\.responseBytes/],
  ['upstream_rejected', undefined, /what the server itself says/],
])('a sync that ends with %s because of %s', (code, reason, expected) => {
  const failure = { code, message: 'why', details: { reason } };
  expect(explainSyncFailure('x', failure, { isCommand: false, isPerAgent: false }).advice).toMatch(expected);
});

test.each([
  [407, /proxy on the way/],
  [410, /does not take what it is sent/],
  [429, /too often/],
  [500, /broken or overloaded/],
])('a sync that ends with HTTP %i', (status, expected) => {
  const failure = { code: 'upstream_unavailable', message: 'why', details: { status } };
  expect(explainSyncFailure('x', failure, { isCommand: false, isPerAgent: false }).advice).toMatch(expected);
});

test.each([
  ['upstream_protocol', 'incompatible_version', 'modern'],
  ['upstream_rejected', undefined, 'legacy'],
] as const)('a sync that ends with %s (%s) where only the %s era is tried', (code, reason, era) => {
  const failure = { code, message: 'why', details: { reason } };
  const step = explainSyncFailure('x', failure, { isCommand: false, isPerAgent: false, era });
  expect(step).toMatchObject({
    step: 'era',
    advice: expect.stringMatching(`"era: ${era}".*set it to auto`) as string,
  });
});

test('a connection that ended before the answer was made: the server is reached', () => {
  const failure = { code: 'upstream_closed', message: 'why', details: { reason: 'CONNECTION_CLOSED' } };
  const step = explainSyncFailure('x', failure, { isCommand: false, isPerAgent: false });
  expect(step).toMatchObject({ step: 'http', advice: expect.stringContaining('breaks off') as string });
});

test('a command that ended may have missed a variable', () => {
  const failure = { code: 'upstream_closed', message: 'why', details: { reason: 'STDIO_EXITED' } };
  const step = explainSyncFailure('x', failure, { isCommand: true, isPerAgent: false });
  expect(step).toMatchObject({ step: 'command', advice: expect.stringContaining('"env"') as string });
});

test('a command with its arguments in it', () => {
  const failure = { code: 'upstream_unavailable', message: 'why', details: { reason: 'STDIO_SPAWN_FAILED' } };
  const command = 'npx -y some-server';
  const step = explainSyncFailure('x', failure, { isCommand: true, isPerAgent: false, command });
  expect(step).toMatchObject({ step: 'command', advice: expect.stringContaining('"args"') as string });
});

test('a command that is not there', () => {
  const failure = { code: 'upstream_unavailable', message: 'why', details: { reason: 'STDIO_SPAWN_FAILED' } };
  const step = explainSyncFailure('x', failure, { isCommand: true, isPerAgent: false });
  expect(step).toMatchObject({
    step: 'command',
    advice: expect.stringContaining('PATH of the hub') as string,
  });
});

test('B3.5: a command whose pinned file is another', () => {
  const failure = { code: 'upstream_unavailable', message: 'why', details: { reason: 'STDIO_PIN_BROKEN' } };
  const step = explainSyncFailure('x', failure, { isCommand: true, isPerAgent: false });
  expect(step).toMatchObject({ step: 'command', advice: expect.stringContaining('"pins"') as string });
});

test('a server that wants a credential, and a connector that has no place for one', () => {
  const failure = { code: 'credential_required', message: 'why' };
  const step = explainSyncFailure('x', failure, { isCommand: false, isPerAgent: false, hasAuth: false });
  expect(step.advice).toContain('--bearer-env');
});

test('a connector that lists its tools only to those who sign in is to be asked as one of them', () => {
  const failure = { code: 'credential_required', message: 'why' };
  const step = explainSyncFailure('x', failure, { isCommand: false, isPerAgent: true });
  expect(step).toMatchObject({
    step: 'auth',
    advice: expect.stringMatching(/sync x --agent.*connect x --agent/) as string,
  });
});
