import { createHash } from 'node:crypto';
import type { AdminAccount, Agent, AgentKey } from '../../src/agents/index.js';
import type { Snapshot, SnapshotDiff } from '../../src/catalog/index.js';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type Connector } from '../../src/connectors/index.js';
import type { Credential, CredentialOwner, OAuthClient, OAuthGrant } from '../../src/credentials/index.js';
import { chainEvent } from '../../src/governance/event-chain.js';
import type { Actor, EventRecord, EventStore, HubEvent, Policy } from '../../src/governance/index.js';
import { Secret, toAgentId, toCallId, toConnectorId, toKeyId, toPolicyId } from '../../src/kernel/index.js';
import type { MasterKeys } from '../../src/storage/index.js';

/** A backup made by the release that had schema 1. It is never made anew. */
export const SCHEMA_1 = new URL('fixtures/schema-1.jsonl', import.meta.url).pathname;

/** What breaks string-built SQL, careless escaping, or a database's idea of text. All of it must come back as it was. */
export const HOSTILE_TEXTS = [
  `'; drop table events; --`,
  `" or 1=1 --`,
  `\\' \\" \\\\ %_ $1 ? :name @p {} [] /* */`,
  'Ünïcödé 中文 🧪 \u202E\u200D e\u0301',
  'nul \0, bell \x07, half \uD800 surrogate, \uFFFE',
  'line\nline\r\nline\u2028line\ttab',
  '__proto__',
  'null',
  '[secret]',
  '',
] as const;

/** Those that can be an identifier: text columns hold neither NUL nor half a surrogate pair. */
export const HOSTILE_IDS = HOSTILE_TEXTS.filter((text) => text !== '' && !/[\0\p{Surrogate}]/u.test(text));
export const UNSTORABLE_IDS = ['a\0b', 'a\uD800b'] as const;

export const masterKeys: MasterKeys = {
  active: { id: 'first', key: createHash('sha256').update('first').digest() },
};
export const otherKey = { id: 'second', key: createHash('sha256').update('second').digest() } as const;

/** Larger than 32 bits, and the largest the hub may use. */
export const LARGE_TIME = 4_102_444_800_123;
export const LARGEST = Number.MAX_SAFE_INTEGER;

export function exampleConnector(id = 'linear', changes: Partial<Connector> = {}): Connector {
  return {
    id: toConnectorId(id),
    name: 'Linear',
    endpoint: { transport: 'streamable_http', url: 'https://mcp.example.com/mcp' },
    auth: { type: 'none' },
    credentialMode: 'per_agent',
    era: 'auto',
    timeouts: DEFAULT_TIMEOUTS,
    limits: DEFAULT_LIMITS,
    isolation: 'shared',
    retries: 2,
    enabled: true,
    hideWhenUnhealthy: false,
    changedTools: 'offer',
    prompts: [
      {
        name: 'ask',
        title: 'Ask',
        arguments: [{ name: 'q', required: true }],
        text: 'Ask {{q}}',
        tools: ['query'],
      },
    ],
    tags: ['work'],
    toolTags: { query: ['read'] },
    allowPrivateNetwork: false,
    source: 'stored',
    version: 1,
    createdAt: LARGE_TIME,
    updatedAt: LARGE_TIME + 1,
    ...changes,
  };
}

export function exampleAgent(id = 'ci', changes: Partial<Agent> = {}): Agent {
  return {
    id: toAgentId(id),
    name: 'CI',
    enabled: true,
    tags: ['robots'],
    source: 'stored',
    version: 1,
    createdAt: LARGE_TIME,
    updatedAt: LARGE_TIME,
    ...changes,
  };
}

export function exampleKey(id: string, agentId = 'ci', changes: Partial<AgentKey> = {}): AgentKey {
  const digest = createHash('sha256').update(`key ${id}`).digest('hex');
  return {
    id: toKeyId(id),
    agentId: toAgentId(agentId),
    digest,
    last4: 'wxyz',
    createdAt: LARGE_TIME,
    expiresAt: undefined,
    ...changes,
  };
}

export const shared: CredentialOwner = { kind: 'shared' };
export function ofAgent(agent: string): CredentialOwner {
  return { kind: 'agent', agent: toAgentId(agent) };
}

export function exampleCredential(
  connector: string,
  owner: CredentialOwner,
  values: Readonly<Record<string, string>>,
  version = 1,
): Credential {
  const secrets = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, new Secret(value)]),
  );
  return {
    connector: toConnectorId(connector),
    owner,
    account: 'default',
    isDefault: true,
    values: secrets,
    grant: undefined,
    version,
    updatedAt: LARGE_TIME,
  };
}

export const exampleGrant: OAuthGrant = {
  issuer: 'https://as.example',
  resource: 'https://mcp.example.com/mcp',
  clientId: 'client-1',
  scopes: ['read', 'write'],
  obtainedAt: LARGE_TIME,
  expiresAt: undefined,
  problem: undefined,
};

export function exampleOAuthClient(connector = 'linear', changes: Partial<OAuthClient> = {}): OAuthClient {
  return {
    connector: toConnectorId(connector),
    issuer: 'https://as.example',
    redirectUri: 'https://hub.example/oauth/callback',
    clientId: 'client-1',
    clientSecret: new Secret('a client secret'),
    authMethod: 'client_secret_basic',
    registeredAt: LARGE_TIME,
    expiresAt: LARGEST,
    ...changes,
  };
}

export function exampleAdmin(id = 'ada', changes: Partial<AdminAccount> = {}): AdminAccount {
  return {
    id,
    name: 'Ada',
    role: 'operator',
    tokenDigest: createHash('sha256').update(`token ${id}`).digest('hex'),
    last4: 'wxyz',
    createdAt: LARGE_TIME,
    ...changes,
  };
}

/** Secrets compare as equal whatever they hold; this shows what they hold. */
export function reveal(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() };
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, reveal(member)]));
}

export function exampleSnapshot(connector = 'linear', changes: Partial<Snapshot> = {}): Snapshot {
  return {
    connectorId: toConnectorId(connector),
    takenAt: LARGE_TIME,
    hash: createHash('sha256').update(JSON.stringify(changes)).digest('hex'),
    upstream: {
      info: { name: 'linear', version: '1' },
      era: 'legacy',
      revision: 'r1',
      capabilities: { tools: { listChanged: true } },
      instructions: undefined,
    },
    listedAs: 'anonymous',
    tools: [
      {
        name: 'query',
        inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
        _meta: { 'x/y': [1, null, true] },
      },
    ],
    prompts: [{ name: 'ask', arguments: [{ name: 'q' }] }],
    resources: [{ uri: 'file:///a', name: 'a' }],
    templates: [{ uriTemplate: 'file:///{x}', name: 'x' }],
    rejected: [{ kind: 'tool', name: 'bad', reason: 'no schema' }],
    names: { tools: [['query', 'linear__query']], prompts: [['ask', 'linear__ask']] },
    ...changes,
  };
}

export const exampleDiff: SnapshotDiff = { added: ['query'], removed: [], changed: ['other'] };

export function examplePolicy(id = 'starter', changes: Partial<Policy> = {}): Policy {
  return {
    id: toPolicyId(id),
    text: 'permit (principal, action, resource);',
    source: 'stored',
    version: 1,
    updatedAt: LARGE_TIME,
    ...changes,
  };
}

export const hub: Actor = { kind: 'hub' };
export const admin: Actor = { kind: 'admin', id: 'console' };
export function agentActor(id: string): Actor {
  return { kind: 'agent', id: toAgentId(id) };
}

function callFacts(callId: string, connector: string) {
  return {
    callId: toCallId(callId),
    connector: toConnectorId(connector),
    target: 'query',
    exposedName: `${connector}__query`,
    method: 'tools/call',
  } as const;
}
export function intended(callId: string, connector = 'linear'): HubEvent {
  return {
    type: 'call.intended',
    ...callFacts(callId, connector),
    arguments: { bytes: 2, hash: 'h' },
    policies: ['starter'],
  };
}
export function finished(
  callId: string,
  connector = 'linear',
  outcome: 'ok' | 'tool_error' | 'outcome_unknown' = 'ok',
): HubEvent {
  return { type: 'call.finished', ...callFacts(callId, connector), outcome, durationMs: 1.25 };
}
export const started: HubEvent = { type: 'hub.started', version: '0.1.0' };

/** The next rows of the log that is in the store. */
export async function nextRecords(
  store: EventStore,
  events: readonly (HubEvent | readonly [Actor, HubEvent])[],
  at = LARGE_TIME,
): Promise<readonly EventRecord[]> {
  return chainAfter((await store.last()) ?? (await store.anchor()), events, at);
}

export function chainAfter(
  head: { readonly sequence: number; readonly hash: string },
  events: readonly (HubEvent | readonly [Actor, HubEvent])[],
  at = LARGE_TIME,
): readonly EventRecord[] {
  let last = head;
  return events.map((entry, index) => {
    const [actor, event] = 'type' in entry ? [hub, entry] : entry;
    const record = chainEvent(last, at + index, actor, event);
    last = record;
    return record;
  });
}

/** The store with these events appended. */
export async function appendAll(
  store: EventStore,
  events: readonly (HubEvent | readonly [Actor, HubEvent])[],
  at = LARGE_TIME,
): Promise<readonly EventRecord[]> {
  const records = await nextRecords(store, events, at);
  await store.append(records);
  return records;
}
