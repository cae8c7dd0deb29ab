import { openEventLog } from '../../src/governance/index.js';
import { silentLogger, toAgentId, toCallId, toConnectorId } from '../../src/kernel/index.js';
import { openStorage, type MasterKeys } from '../../src/storage/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin } from './admin.js';
import { startUpstream } from './scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from './start-hub.js';

const TEXT = { type: 'string' };

const ISSUES = [
  {
    name: 'search_issues',
    title: 'Search issues',
    description: 'Finds issues by words, label and state. Answers at most fifty, newest first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { ...TEXT, description: 'Words that must occur.' },
        state: { type: 'string', enum: ['open', 'closed', 'any'], default: 'open' },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'create_issue',
    title: 'Create an issue',
    description: 'Creates an issue and answers its number and address.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { ...TEXT, description: 'One line.' },
        body: { ...TEXT, maxLength: 10_000, description: 'Markdown.' },
        labels: { type: 'array', items: TEXT },
        urgent: { type: 'boolean' },
      },
      required: ['title'],
    },
    annotations: { destructiveHint: false },
  },
  {
    name: 'delete_issue',
    description: 'Deletes an issue for good.',
    inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
  },
];

const WIKI = ['read_page', 'search_pages', 'list_spaces', 'page_history'].map((name) => ({
  name,
  description: `${name.replaceAll('_', ' ')} of the company wiki.`,
  inputSchema: { type: 'object', properties: { query: TEXT } },
  annotations: { readOnlyHint: true },
}));

const CALENDAR = ['list_events', 'find_free_time'].map((name) => ({
  name,
  description: 'Looks into the calendar of a team.',
  inputSchema: { type: 'object', properties: { day: TEXT } },
  annotations: { readOnlyHint: true },
}));

export interface ExampleHub extends TestHub {
  /** Of a call with a whole story. */
  readonly callId: string;
}

/** A hub as it looks after some days of use: services, agents, policies, and an hour of calls. */
export async function startExampleHub(): Promise<ExampleHub> {
  const issues = await startUpstream({
    tools: ISSUES,
    call: () => ({
      content: [{ type: 'text', text: 'Created issue 1042: https://issues.example.com/1042' }],
      structuredContent: { number: 1_042, state: 'open' },
    }),
  });
  const wiki = await startUpstream({ tools: WIKI });
  const calendar = await startUpstream({ tools: CALENDAR });
  const gone = await startUpstream({});
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-example-'));
  const config = {
    connectors: {
      issues: { name: 'Issue tracker', url: issues.url, tags: ['work'] },
      wiki: { name: 'Company wiki', url: wiki.url, auth: { type: 'bearer', token: 'wiki-token-0123456789' } },
      mail: { name: 'Mail', url: gone.url },
      calendar: { name: 'Calendar', url: calendar.url, auth: { type: 'bearer' }, credentialMode: 'shared' },
    },
  };
  await gone.close();
  const first = await startTestHub({ config, folder });
  await first.close();
  await seedEvents(join(folder, 'data', 'hub.db'), first.running.folder.masterKeys);
  const hub = await startTestHub({ folder });
  await Promise.all([waitForSync(hub, 'issues'), waitForSync(hub, 'wiki')]);
  await admin(hub, 'POST', '/agents', { id: 'support', name: 'Support desk', tags: ['team-support'] });
  await admin(hub, 'POST', '/agents/support/keys', {});
  await admin(hub, 'POST', '/agents', { id: 'ci', name: 'Build server' });
  await admin(hub, 'POST', '/policies', {
    id: 'support',
    text: 'permit(principal == Agent::"support", action, resource in Connector::"issues")\nunless { resource is Tool && resource.destructive };\n\npermit(principal == Agent::"support", action == Action::"call", resource in Connector::"wiki");\n',
  });
  const called = await admin(hub, 'POST', '/tools/call', {
    agent: 'support',
    name: 'issues__create_issue',
    arguments: { title: 'The export is slow' },
  });
  return {
    ...hub,
    callId: String(called.body['callId']),
    async close() {
      await hub.close();
      await Promise.all([issues.close(), wiki.close(), calendar.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Calls of the last hour, as the hub would have recorded them. */
async function seedEvents(path: string, masterKeys: MasterKeys): Promise<void> {
  let now = Date.now() - 58 * 60_000;
  const clock = { now: () => now, monotonic: () => now } as never;
  const storage = await openStorage({ url: `sqlite:${path}`, masterKeys, clock });
  const log = await openEventLog({ store: storage.events, clock, logger: silentLogger });
  for (let minute = 0; minute < 57; minute++) {
    const calls = 4 + Math.round(9 * Math.abs(Math.sin(minute / 9)) + 3 * Math.abs(Math.sin(minute * 1.7)));
    for (let call = 0; call < calls; call++) seedCall(log, minute * 31 + call);
    now += 60_000;
    await log.flush();
  }
  await log.close();
  await storage.close();
}

function seedCall(log: Awaited<ReturnType<typeof openEventLog>>, index: number): void {
  const inWiki = index % 3 === 0;
  const facts = {
    callId: toCallId(`example-${index}`),
    connector: toConnectorId(inWiki ? 'wiki' : 'issues'),
    target: inWiki ? 'search_pages' : 'search_issues',
    exposedName: inWiki ? 'wiki__search_pages' : 'issues__search_issues',
    method: 'tools/call',
  } as const;
  const actor = { kind: 'agent', id: toAgentId(index % 4 === 0 ? 'ci' : 'support') } as const;
  if (index % 29 === 0) {
    log.append(actor, { type: 'call.refused', ...facts, outcome: 'denied', error: 'policy_denied' });
    return;
  }
  const outcome = index % 17 === 0 ? 'tool_error' : 'ok';
  const durationMs = 20 + ((index * 37) % 90) + (index % 23 === 0 ? 400 : 0);
  log.append(actor, { type: 'call.finished', ...facts, outcome, durationMs });
}
