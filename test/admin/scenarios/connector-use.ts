import { expect } from 'vitest';
import { TOOLS, withMail, withNotes } from '../../support/admin-hub.js';
import { ADMIN, HASH, HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';
import { withBearer } from './connector-requests.js';

const reading: Scenario[] = [
  {
    name: 'all connectors, in order',
    given: withNotes,
    request: { method: 'GET', path: '/connectors' },
    status: 200,
    body: {
      items: [
        { id: 'child' },
        { id: 'filed' },
        { id: 'notes', sync: { tools: 2, rejected: 1, upstream: { name: 'scripted' } } },
        { id: 'sample' },
      ],
    },
  },
  {
    name: 'secrets of files are not shown',
    request: { method: 'GET', path: '/connectors/filed' },
    status: 200,
    body: {
      readOnly: true,
      source: 'file',
      url: 'http://127.0.0.1:9/mcp?key=***',
      auth: { type: 'bearer', token: { set: true, last4: 'AAAA' } },
    },
  },
  {
    name: 'secrets of the environment are not shown',
    request: { method: 'GET', path: '/connectors/child' },
    status: 200,
    body: { readOnly: true, command: 'node', argCount: 2, env: { KEY: { set: true, last4: 'BBBB' } } },
  },
  { name: 'an unknown one is not found', request: { method: 'GET', path: '/connectors/none' }, status: 404 },
  ...HOSTILE_IDS.map((id): Scenario => ({
    name: `A-6: ${id.slice(0, 30)} is no connector`,
    request: { method: 'GET', path: `/connectors/${id}` },
    status: 404,
    body: { error: { code: 'not_found' } },
  })),
  ...[
    'limit=0',
    'limit=-1',
    'limit=201',
    'limit=1e9',
    'limit=x',
    'limit=',
    'limit=0x10',
    'limit=%2B5',
    'limit=+5',
    'limit=5.0',
    'limit=5%20',
    'limit=1e2',
    'limit=%D9%A5',
    'cursor=x',
    'cursor=',
    'sort=name',
    'limit=1&limit=2',
    '__proto__=1',
    '__proto__=1&__proto__=2',
    'constructor=1',
    'toString=1',
    '=1',
    `cursor=${Buffer.from('agents\nx').toString('base64url')}`,
  ].map((query): Scenario => ({
    name: `A-7: ${query} is refused`,
    request: { method: 'GET', path: `/connectors?${query}` },
    status: 400,
  })),
  {
    name: 'a page at a time',
    request: { method: 'GET', path: '/connectors?limit=2' },
    status: 200,
    body: { items: [{ id: 'child' }, { id: 'filed' }], nextCursor: expect.any(String) },
  },
  {
    name: 'the last page says so',
    request: async (hub) => ({
      method: 'GET',
      path: `/connectors?limit=2&cursor=${String((await tell(hub, { method: 'GET', path: '/connectors?limit=2' })).body['nextCursor'])}`,
    }),
    status: 200,
    body: { items: [{ id: 'sample' }] },
    after: async (_hub, body) => expect(body).not.toHaveProperty('nextCursor'),
  },
];

const using: Scenario[] = [
  {
    name: 'a sync tells what is new',
    given: async (hub) => {
      await withNotes(hub);
      hub.upstreams.script('notes', {
        tools: [
          { ...TOOLS.search, description: 'other' },
          { name: 'add', inputSchema: { type: 'object' } },
        ],
      });
    },
    request: { method: 'POST', path: '/connectors/notes/sync' },
    status: 200,
    body: {
      tools: 2,
      prompts: 0,
      resources: 0,
      added: ['add'],
      removed: ['erase'],
      changed: ['search'],
      syncedAt: expect.stringMatching(/^\d{4}-/),
    },
    events: [
      {
        type: 'connector.synced',
        connector: 'notes',
        tools: 2,
        added: 1,
        removed: 1,
        changed: 1,
        actor: ADMIN,
      },
    ],
  },
  {
    name: 'a sync may use an agent',
    given: withMail,
    request: { method: 'POST', path: '/connectors/mail/sync', body: { agent: 'local' } },
    status: 409,
    body: { error: { code: 'credential_required' } },
    events: [{ type: 'connector.sync_failed', error: 'credential_required' }],
  },
  {
    name: 'a sync as nobody is refused',
    given: withMail,
    request: { method: 'POST', path: '/connectors/mail/sync', body: { agent: 'nobody' } },
    status: 404,
  },
  {
    name: 'a sync takes nothing else',
    given: withNotes,
    request: { method: 'POST', path: '/connectors/notes/sync', body: { force: true } },
    status: 400,
  },
  {
    name: 'a sync of an upstream that is gone says so',
    request: { method: 'POST', path: '/connectors/filed/sync' },
    status: 502,
    body: { error: { code: 'upstream_unavailable' } },
    events: [
      { type: 'connector.sync_failed', connector: 'filed' },
      { type: 'connector.health', connector: 'filed', to: 'unhealthy' },
    ],
  },
  {
    name: 'a sync of nothing is not found',
    request: { method: 'POST', path: '/connectors/none/sync' },
    status: 404,
  },
  {
    name: 'what the upstream offered, what was set aside, and what changed',
    given: withNotes,
    request: { method: 'GET', path: '/connectors/notes/tools' },
    status: 200,
    body: {
      items: [
        { name: 'notes__erase', tool: 'erase', risk: 'destructive' },
        { name: 'notes__search', tool: 'search', risk: 'read', inputSchema: { required: ['query'] } },
      ],
      rejected: [{ kind: 'tool', name: 'broken', reason: expect.any(String) }],
      history: [{ added: ['erase', 'search'], removed: [], changed: [], hash: HASH }],
      listedAs: 'anonymous',
    },
  },
  {
    name: 'tools page',
    given: withNotes,
    request: { method: 'GET', path: '/connectors/notes/tools?limit=1' },
    status: 200,
    body: { items: [{ tool: 'erase' }], nextCursor: expect.any(String) },
  },
  {
    name: 'before the first sync there is nothing',
    request: { method: 'GET', path: '/connectors/filed/tools' },
    status: 200,
    body: { items: [], syncedAt: null, rejected: [], history: [] },
  },
  {
    name: 'tools of nothing are not found',
    request: { method: 'GET', path: '/connectors/none/tools' },
    status: 404,
  },
  {
    name: 'health is told',
    request: { method: 'GET', path: '/connectors/filed/health' },
    status: 200,
    body: { state: 'unknown' },
  },
  {
    name: 'health of nothing is not found',
    request: { method: 'GET', path: '/connectors/none/health' },
    status: 404,
  },
  {
    name: 'connecting says how the others are stored',
    given: withBearer,
    request: { method: 'POST', path: '/connectors/notes/connect' },
    status: 409,
    body: { error: { code: 'not_supported', message: expect.stringContaining('PUT /connectors/notes') } },
  },
  {
    name: 'connecting nothing is not found',
    request: { method: 'POST', path: '/connectors/none/connect', body: {} },
    status: 404,
  },
];

const looking: Scenario[] = [
  {
    name: 'each step of the way to the upstream',
    given: withNotes,
    request: { method: 'POST', path: '/connectors/notes/check' },
    status: 200,
    body: { steps: [{ step: 'dns', state: 'ok', detail: 'found' }] },
  },
  {
    name: 'what a process said, where it said nothing',
    given: withNotes,
    request: { method: 'GET', path: '/connectors/notes/logs' },
    status: 200,
    body: { lines: [] },
  },
  {
    name: 'what a process of no connector said',
    request: { method: 'GET', path: '/connectors/none/logs' },
    status: 404,
    body: { error: { code: 'not_found' } },
  },
];

export const CONNECTOR_USE = named('connectors', [...reading, ...using, ...looking]);
