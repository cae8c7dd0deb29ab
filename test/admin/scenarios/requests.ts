import { expect } from 'vitest';
import { withNotes } from '../../support/admin-hub.js';
import { named, type Scenario } from '../scenario.js';

const GOOD = '{"id":"ci"}';
const post = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
  ({ method: 'POST', path: '/agents', raw, headers }) as const;
const ADDED = [{ type: 'agent.added' }];

const bodies: Scenario[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; x=application/json',
    'application/json; charset=utf-16',
    'application/jsonp',
    '',
  ].map((type): Scenario => ({
    name: `H-25: content of type "${type}" is refused`,
    request: post(GOOD, { 'content-type': type }),
    status: 415,
    body: { error: { code: 'unsupported_media_type' } },
  })),
  {
    name: 'H-26: UTF-8 may be named',
    request: post(GOOD, { 'content-type': 'application/json; charset=UTF-8' }),
    status: 201,
    events: ADDED,
  },
  {
    name: 'H-33: compressed content is refused',
    request: post(GOOD, { 'content-encoding': 'gzip' }),
    status: 415,
  },
  ...[
    '',
    '   ',
    '{"id":"ci"',
    "{'id':'ci'}",
    '{"id":"ci",}',
    '{"id":NaN}',
    '{"id":"ci"}{}',
    '{"id":"a\u0001b"}',
  ].map((raw): Scenario => ({
    name: `J-1: ${JSON.stringify(raw)} is no JSON`,
    request: post(raw),
    status: 400,
    body: { error: { code: 'invalid_request' } },
  })),
  {
    name: 'J-7: more values than settings can have are refused before they are looked at',
    request: post(`{"id":"ci","tags":[${Array(20_001).fill(1).join()}]}`),
    status: 400,
    body: { error: { code: 'invalid_request', details: { fault: 'nodes' } } },
  },
  {
    name: 'J-7: arguments of a tool may be as many as a client may send',
    given: withNotes,
    request: {
      method: 'POST',
      path: '/policies/explain',
      raw: `{"agent":"filed","tool":"notes__search","arguments":{"a":[${Array(25_000).fill(1).join()}]}}`,
    },
    status: 200,
  },
  {
    name: 'J-2: a byte order mark is passed over',
    request: post(`\uFEFF${GOOD}`),
    status: 201,
    events: ADDED,
  },
  { name: 'J-2: a second byte order mark is not', request: post(`\uFEFF\uFEFF${GOOD}`), status: 400 },
  {
    name: 'J-3: bytes that are no UTF-8 are refused',
    request: post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    status: 400,
  },
  ...[
    { raw: '{"dryRun":true}', details: { field: 'dryRun' } },
    { raw: '[]', details: { field: 'body' } },
    { raw: '{', details: { fault: 'syntax' } },
  ].map(({ raw, details }): Scenario => ({
    name: `A-3: ${raw} is refused where nothing is taken, and nothing is done`,
    request: { method: 'POST', path: '/sign-in-links', raw },
    status: 400,
    body: { error: { code: 'invalid_request', details } },
  })),
  {
    name: 'J-6, A-14: deep content is refused',
    request: post('['.repeat(10_000)),
    status: 400,
    body: { error: { details: { fault: 'depth' } } },
  },
  {
    name: 'J-8: a field that is given twice is refused',
    request: post('{"id":"ci","id":"other"}'),
    status: 400,
    body: { error: { details: { fault: 'duplicate_key' } } },
  },
  {
    name: 'J-9: __proto__ is a field like any other, and not one of ours',
    request: post('{"id":"ci","__proto__":{"enabled":false}}'),
    status: 400,
  },
  {
    name: 'J-11: a number nobody can hold is refused',
    request: { method: 'PATCH', path: '/connectors/notes', raw: '{"retries":1e400}' },
    given: withNotes,
    status: 400,
    body: { error: { details: { field: 'retries' } } },
  },
  { name: 'J-13: what is no object is refused', request: post('[]'), status: 400 },
  {
    name: 'H-31, A-14: what is too large is refused',
    request: post(JSON.stringify({ id: 'ci', name: 'x'.repeat(65_536) })),
    status: 413,
    body: { error: { code: 'request_too_large' } },
  },
  {
    name: 'H-31: the limit itself is not too large',
    options: { maxBodyBytes: GOOD.length },
    request: post(GOOD),
    status: 201,
    events: ADDED,
  },
  {
    name: 'H-31: one byte more is',
    options: { maxBodyBytes: GOOD.length - 1 },
    request: post(GOOD),
    status: 413,
  },
  {
    name: 'an optional body may be missing',
    given: withNotes,
    request: { method: 'POST', path: '/connectors/notes/sync' },
    status: 200,
    events: [{ type: 'connector.synced' }],
  },
  {
    name: 'an optional body may be empty',
    given: withNotes,
    request: {
      method: 'POST',
      path: '/connectors/notes/sync',
      raw: '',
      headers: { 'content-type': 'application/json' },
    },
    status: 200,
    events: [{ type: 'connector.synced' }],
  },
  {
    name: 'an optional body is checked',
    given: withNotes,
    request: { method: 'POST', path: '/connectors/notes/sync', raw: 'null' },
    status: 400,
  },
];

const addresses: Scenario[] = [
  {
    name: 'H-1: what does not exist is not found, and not repeated',
    request: { method: 'GET', path: '/canary/none' },
    status: 404,
    body: { error: { code: 'not_found' } },
  },
  { name: 'H-21: there is one spelling', request: { method: 'GET', path: '/connectors/' }, status: 404 },
  { name: 'H-21: and one case', request: { method: 'GET', path: '/Connectors' }, status: 404 },
  {
    name: 'H-2: another method is named',
    request: { method: 'PUT', path: '/connectors' },
    status: 405,
    headers: { allow: 'GET, HEAD, POST' },
    body: { error: { code: 'method_not_allowed' } },
  },
  {
    name: 'H-29: a preflight is not answered',
    request: {
      method: 'OPTIONS',
      path: '/connectors/notes',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
    },
    status: 405,
  },
  {
    name: 'H-37: a method cannot be overridden',
    given: withNotes,
    request: { method: 'GET', path: '/connectors/notes', headers: { 'x-http-method-override': 'DELETE' } },
    status: 200,
    after: async (hub) => expect(await hub.storage.connectors.list()).toHaveLength(1),
  },
  {
    name: 'a parameter where there are none is refused',
    request: { method: 'GET', path: '/status?verbose=1' },
    status: 400,
    body: { error: { details: { field: 'verbose' } } },
  },
];

export const REQUEST_SCENARIOS = named('requests', [...bodies, ...addresses]);
