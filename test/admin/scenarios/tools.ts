import { expect } from 'vitest';
import { HubError } from '../../../src/kernel/index.js';
import { stringifyJson } from '../../../src/mcp/jsonrpc/index.js';
import { TOOLS, withNotes, type AdminHub } from '../../support/admin-hub.js';
import { HOSTILE_IDS, named, tell, type Scenario } from '../scenario.js';

const call = (body: object) => ({ method: 'POST', path: '/tools/call', body }) as const;
const ACTOR = { kind: 'agent', id: 'local', admin: 'admin' };

async function withReader(hub: AdminHub): Promise<void> {
  await withNotes(hub);
  await tell(hub, { method: 'POST', path: '/agents', body: { id: 'reader' } });
  await tell(hub, {
    method: 'PUT',
    path: '/policies/readers',
    body: {
      text: '@confirm("Really?") permit(principal == Agent::"reader", action, resource == Tool::"notes/erase"); permit(principal == Agent::"reader", action, resource) when { resource has risk && resource.risk == "read" };',
    },
  });
}

const listing: Scenario[] = [
  {
    name: 'everything on offer',
    given: withNotes,
    request: { method: 'GET', path: '/tools' },
    status: 200,
    body: {
      items: [
        { name: 'notes__erase', connector: 'notes', tool: 'erase', risk: 'destructive' },
        { name: 'notes__search', risk: 'read', description: 'Finds things' },
      ],
    },
  },
  {
    name: 'what an agent sees',
    given: withNotes,
    request: { method: 'GET', path: '/tools?agent=filed' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'what a permitted agent sees',
    given: withNotes,
    request: { method: 'GET', path: '/tools?agent=local&connector=notes' },
    status: 200,
    body: { items: [{ tool: 'erase' }, { tool: 'search' }] },
  },
  {
    name: 'with the guide of the operator, as agents read it',
    given: async (hub) => {
      await withNotes(hub);
      const prompts = [{ name: 'careful', text: 'Always set a limit.', tools: ['search'] }];
      await tell(hub, { method: 'PATCH', path: '/connectors/notes', body: { prompts } });
    },
    request: { method: 'GET', path: '/tools?agent=local&q=finds' },
    status: 200,
    body: {
      items: [{ description: expect.stringMatching(/^Finds things\n\n.*\nAlways set a limit\.$/) as string }],
    },
  },
  {
    name: 'only those of a connector',
    given: withNotes,
    request: { method: 'GET', path: '/tools?connector=filed' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'what an agent does not see',
    given: withReader,
    request: { method: 'GET', path: '/tools?agent=filed&access=cannot' },
    status: 200,
    body: { items: [{ tool: 'erase' }, { tool: 'search' }] },
  },
  {
    name: 'nothing an agent does not see',
    given: withNotes,
    request: { method: 'GET', path: '/tools?agent=local&access=cannot' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'access of nobody',
    request: { method: 'GET', path: '/tools?access=can' },
    status: 400,
    body: { error: { code: 'invalid_request', details: { field: 'access' } } },
  },
  {
    name: 'by words of name and description, in any order and case',
    given: withNotes,
    request: { method: 'GET', path: '/tools?q=THINGS%20notes' },
    status: 200,
    body: { items: [{ tool: 'search' }] },
  },
  {
    name: 'by words of which one is nowhere',
    given: withNotes,
    request: { method: 'GET', path: '/tools?q=things%20nowhere' },
    status: 200,
    body: { items: [] },
  },
  {
    name: 'by risk',
    given: withNotes,
    request: { method: 'GET', path: '/tools?risk=destructive' },
    status: 200,
    body: { items: [{ tool: 'erase' }] },
  },
  {
    name: 'one by its name',
    given: withNotes,
    request: { method: 'GET', path: '/tools/notes__search' },
    status: 200,
    body: { name: 'notes__search', tool: 'search', connector: 'notes', inputSchema: { type: 'object' } },
  },
  {
    name: 'one that is not there',
    given: withNotes,
    request: { method: 'GET', path: '/tools/notes__nothing' },
    status: 404,
    body: { error: { code: 'not_found' } },
  },
  {
    name: 'a page of them',
    given: withNotes,
    request: { method: 'GET', path: '/tools?limit=1' },
    status: 200,
    body: { items: [{ tool: 'erase' }], nextCursor: expect.any(String) },
  },
  { name: 'of an unknown agent', request: { method: 'GET', path: '/tools?agent=none' }, status: 404 },
  { name: 'of an unknown connector', request: { method: 'GET', path: '/tools?connector=none' }, status: 404 },
  { name: 'with an unknown parameter', request: { method: 'GET', path: '/tools?order=risk' }, status: 400 },
  ...HOSTILE_IDS.slice(0, 4).map((id): Scenario => ({
    name: `A-6: ${id} sees nothing`,
    request: { method: 'GET', path: `/tools?agent=${id}` },
    status: 404,
  })),
];

const calling: Scenario[] = [
  {
    name: 'a call is made as the agent, and the admin is remembered',
    given: withNotes,
    request: call({ agent: 'local', name: 'notes__search', arguments: { query: 'canary' } }),
    status: 200,
    body: {
      callId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      result: { content: [{ type: 'text', text: 'search was called' }] },
    },
    events: [
      {
        type: 'call.intended',
        connector: 'notes',
        target: 'search',
        exposedName: 'notes__search',
        actor: ACTOR,
      },
      { type: 'call.finished', outcome: 'ok', actor: ACTOR },
    ],
    after: async (hub, body) => {
      const { callId } = body as { callId: string };
      expect((await hub.recorded()).slice(-2).map(({ event }) => 'callId' in event && event.callId)).toEqual([
        callId,
        callId,
      ]);
      expect(hub.upstreams.calls).toMatchObject([{ tool: 'search', args: { query: 'canary' } }]);
    },
  },
  {
    name: 'J-12: every digit reaches the upstream',
    given: withNotes,
    request: {
      method: 'POST',
      path: '/tools/call',
      raw: '{"agent":"local","name":"notes__erase","arguments":{"id":9007199254740993,"__proto__":{"a":1}}}',
    },
    status: 200,
    events: [{ type: 'call.intended' }, { type: 'call.finished' }],
    after: async (hub) =>
      expect(stringifyJson(hub.upstreams.calls[0]?.args)).toBe('{"id":9007199254740993,"__proto__":{"a":1}}'),
  },
  {
    name: 'a result that says it failed is a result',
    given: async (hub) => (
      await withNotes(hub),
      hub.upstreams.script('notes', { call: () => ({ content: [], isError: true }) })
    ),
    request: call({ agent: 'local', name: 'notes__erase' }),
    status: 200,
    body: { result: { isError: true } },
    events: [{ type: 'call.intended' }, { type: 'call.finished', outcome: 'tool_error' }],
  },
  {
    name: 'an upstream that fails is told as such',
    given: async (hub) => {
      await withNotes(hub);
      hub.upstreams.script('notes', {
        call: () => {
          throw new HubError('upstream_timeout', 'the upstream did not answer in time', {
            outcomeUnknown: true,
          });
        },
      });
    },
    request: call({ agent: 'local', name: 'notes__erase' }),
    status: 504,
    body: { error: { code: 'upstream_timeout', details: { outcomeUnknown: true } } },
    events: [{ type: 'call.intended' }, { type: 'call.finished', outcome: 'outcome_unknown' }],
  },
  {
    name: 'what policies hide is unknown',
    given: withNotes,
    request: call({ agent: 'filed', name: 'notes__search', arguments: { query: 'x' } }),
    status: 404,
    body: { error: { code: 'unknown_tool' } },
    events: [
      { type: 'call.refused', outcome: 'denied', actor: { kind: 'agent', id: 'filed', admin: 'admin' } },
    ],
  },
  {
    name: 'what is not there is unknown',
    given: withNotes,
    request: call({ agent: 'local', name: 'notes__none' }),
    status: 404,
    body: { error: { code: 'unknown_tool' } },
    events: [{ type: 'call.refused' }],
  },
  {
    name: 'wrong arguments are told',
    given: withNotes,
    request: call({ agent: 'local', name: 'notes__search', arguments: {} }),
    status: 422,
    body: { error: { code: 'arguments_invalid', details: { problems: [expect.stringContaining('query')] } } },
    events: [{ type: 'call.refused', outcome: 'invalid' }],
  },
  {
    name: 'what needs confirmation cannot be confirmed here',
    given: withReader,
    request: call({ agent: 'reader', name: 'notes__erase' }),
    status: 403,
    body: { error: { code: 'confirmation_required' } },
    events: [{ type: 'call.refused' }],
  },
  {
    name: 'nobody calls',
    given: withNotes,
    request: call({ agent: 'none', name: 'notes__search' }),
    status: 404,
  },
  {
    name: 'a disabled agent does not call',
    given: async (hub) => (
      await withReader(hub),
      tell(hub, { method: 'PATCH', path: '/agents/reader', body: { enabled: false } })
    ),
    request: call({ agent: 'reader', name: 'notes__search', arguments: { query: 'x' } }),
    status: 409,
  },
  {
    name: 'an agent must be named',
    given: withNotes,
    request: call({ name: 'notes__search' }),
    status: 400,
    body: { error: { details: { field: 'agent' } } },
  },
  {
    name: 'arguments are an object',
    given: withNotes,
    request: call({ agent: 'local', name: 'notes__search', arguments: ['x'] }),
    status: 400,
    body: { error: { details: { field: 'arguments' } } },
  },
  {
    name: 'nothing else is taken',
    given: withNotes,
    request: call({ agent: 'local', name: 'notes__search', connector: 'x' }),
    status: 400,
  },
];

const foreign: Scenario[] = [
  {
    name: 'what an upstream calls its tools is shown as text',
    given: async (hub) => {
      await withNotes(hub);
      hub.upstreams.script('notes', { tools: [{ ...TOOLS.erase, name: '<img src=x onerror=alert(1)>' }] });
      await tell(hub, { method: 'POST', path: '/connectors/notes/sync' });
    },
    request: { method: 'GET', path: '/tools' },
    status: 200,
    headers: { 'content-type': /^application\/json$/ },
    body: { items: [{ tool: '<img src=x onerror=alert(1)>', name: expect.stringMatching(/^[\w-]+$/) }] },
  },
];

export const TOOL_SCENARIOS = named('tools', [...listing, ...calling, ...foreign]);
