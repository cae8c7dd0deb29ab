import { z } from 'zod';
import { connectorInput, operatorPromptInput } from '../connector-input.js';
import { idText, pageOf, pageQuery, secretState, time } from './answers.js';
import { displayText } from '../display-text.js';
import { credentialView } from './credentials.js';
import { defineRoute } from './route.js';
import { toolView } from './tools.js';

export const connectorAddition = connectorInput
  .extend({ id: z.string().min(1).max(64) })
  .meta({ id: 'ConnectorAddition' });

const keptOrGone = (max: number) => z.union([z.string().max(max), z.null()]);

/**
 * What is given replaces what is stored; what is not given stays. `timeouts`, `limits`, `auth`, `headers`, `env` and
 * `toolTags` are merged member by member, and null takes a header, variable or tool's tags away. A blank secret stays.
 */
export const connectorPatch = connectorInput
  .extend({
    auth: z
      .looseObject({
        type: z.enum(['none', 'bearer', 'api_key', 'header', 'oauth', 'client_credentials']).optional(),
      })
      .optional(),
    headers: z.record(z.string().min(1).max(128), keptOrGone(16_384)).optional(),
    env: z.record(z.string().min(1).max(128), keptOrGone(32_768)).optional(),
    toolTags: z
      .record(z.string().min(1).max(128), z.union([z.array(displayText(64)).max(32), z.null()]))
      .optional(),
  })
  .meta({ id: 'ConnectorPatch' });

const authView = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: secretState }),
  z.strictObject({ type: z.literal('api_key'), header: z.string(), value: secretState }),
  z.strictObject({ type: z.literal('header'), headers: z.record(z.string(), secretState) }),
  /** Settings may hold secrets: only their names are told. */
  z.strictObject({ type: z.literal('oauth'), settings: z.array(z.string()) }),
  z.strictObject({ type: z.literal('client_credentials'), settings: z.array(z.string()) }),
]);

export const healthView = z
  .strictObject({
    state: z.enum(['unknown', 'healthy', 'unhealthy', 'failed', 'disabled']),
    reason: z.string().optional(),
    since: time.optional(),
    checkedAt: time.optional(),
    /**
     * Where several processes serve: the one that answered. What a sync found is the same at all; whether the upstream can
     * be reached, how its process does, and `traffic` are what this one saw.
     */
    instance: z.string().optional(),
    /** How it is used at the moment. Open: calls fail at once, except one now and then that finds out. */
    traffic: z.strictObject({
      breaker: z.enum(['closed', 'open']),
      failures: z.int(),
      retryAfterMs: z.int(),
      running: z.int(),
      waiting: z.int(),
      conversations: z.int(),
    }),
  })
  .meta({ id: 'Health' });

const upstreamView = z.strictObject({
  name: z.string(),
  version: z.string().optional(),
  era: z.string(),
  revision: z.string(),
});

/** The latest successful sync. */
const syncState = z.strictObject({
  syncedAt: time,
  tools: z.int(),
  prompts: z.int(),
  resources: z.int(),
  rejected: z.int(),
  listedAs: z.string(),
  upstream: upstreamView,
});

export const connectorView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    source: z.enum(['file', 'environment', 'stored', 'built_in']),
    /** Written in the operator's configuration: change it there. */
    readOnly: z.boolean(),
    transport: z.enum(['streamable_http', 'sse', 'stdio']),
    /** Query values and path parts that look like secrets are shown as `***`. */
    url: z.string().optional(),
    command: z.string().optional(),
    /** Arguments may carry secrets: only their number is told. */
    argCount: z.int().optional(),
    env: z.record(z.string(), secretState).optional(),
    cwd: z.string().optional(),
    /** Files that must be what they were, and the SHA-256 that tells. */
    pins: z.record(z.string(), z.string()).optional(),
    idleStopMs: z.int().optional(),
    maxLifetimeMs: z.int().optional(),
    auth: authView,
    credentialMode: z.enum(['none', 'shared', 'per_agent']),
    allowPrivateNetwork: z.boolean(),
    era: z.enum(['auto', 'legacy', 'modern']),
    timeouts: z.strictObject({ connectMs: z.int(), requestMs: z.int(), totalMs: z.int() }),
    limits: z.strictObject({
      responseBytes: z.int(),
      resultBytes: z.int(),
      sseReconnects: z.int(),
      concurrency: z.int(),
      queue: z.int(),
      breakerFailures: z.int(),
      memoryBytes: z.int(),
      cpuSeconds: z.int(),
      processes: z.int(),
    }),
    isolation: z.enum(['shared', 'per_principal', 'per_session', 'per_call']),
    retries: z.int(),
    hideWhenUnhealthy: z.boolean(),
    changedTools: z.enum(['offer', 'hold']),
    tags: z.array(z.string()),
    toolTags: z.record(z.string(), z.array(z.string())),
    health: healthView,
    /** How many credentials are in which state. */
    accounts: z.strictObject({
      valid: z.int(),
      expiring: z.int(),
      needs_sign_in: z.int(),
      failed: z.int(),
    }),
    sync: z.union([syncState, z.null()]),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Connector' });

export const connectorDetail = connectorView
  .extend({ prompts: z.array(operatorPromptInput), credentials: z.array(credentialView) })
  .meta({ id: 'ConnectorDetail' });

export const syncAnswer = z
  .strictObject({
    tools: z.int(),
    prompts: z.int(),
    resources: z.int(),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
    syncedAt: time,
  })
  .meta({ id: 'SyncReport' });

const rejectedView = z.strictObject({
  kind: z.enum(['tool', 'prompt', 'resource', 'template']),
  name: z.string(),
  reason: z.string(),
  /** It changed, and is offered again once a sync with `accept` was asked for. */
  held: z.literal(true).optional(),
});

const connectorTools = pageOf(toolView)
  .extend({
    syncedAt: z.union([time, z.null()]),
    listedAs: z.string().optional(),
    /** Definitions that cannot be offered, and why. */
    rejected: z.array(rejectedView),
    /** The latest changes, newest first. */
    history: z.array(
      z.strictObject({
        takenAt: time,
        hash: z.string(),
        added: z.array(z.string()),
        removed: z.array(z.string()),
        changed: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'ConnectorTools' });

const checkStep = z
  .strictObject({
    step: z.enum(['command', 'dns', 'tcp', 'tls', 'http', 'era', 'auth', 'list', 'calls']),
    state: z.enum(['ok', 'failed', 'skipped']),
    detail: z.string(),
    advice: z.string().optional(),
  })
  .meta({ id: 'ConnectionStep' });
const checkAnswer = z.strictObject({ steps: z.array(checkStep) }).meta({ id: 'ConnectionCheck' });

const forAgent = z.strictObject({ agent: idText.optional() });
/** `accept`: tools that changed are offered from now on as they are. */
const syncBody = forAgent.extend({ accept: z.boolean().optional() });

export const CONNECTOR_ROUTES = {
  list: defineRoute({
    id: 'listConnectors',
    method: 'get',
    path: '/connectors',
    role: 'viewer',
    summary: 'All connectors',
    query: pageQuery,
    answer: pageOf(connectorView),
  }),
  add: defineRoute({
    id: 'addConnector',
    method: 'post',
    path: '/connectors',
    role: 'operator',
    summary: 'Add a connector',
    body: connectorAddition,
    answer: connectorDetail,
    creates: 'always',
  }),
  get: defineRoute({
    id: 'getConnector',
    method: 'get',
    path: '/connectors/{id}',
    role: 'viewer',
    summary: 'One connector',
    answer: connectorDetail,
  }),
  change: defineRoute({
    id: 'changeConnector',
    method: 'patch',
    path: '/connectors/{id}',
    role: 'operator',
    summary: 'Change a connector; what is not given stays',
    body: connectorPatch,
    answer: connectorDetail,
    conditional: true,
  }),
  remove: defineRoute({
    id: 'removeConnector',
    method: 'delete',
    path: '/connectors/{id}',
    role: 'operator',
    summary: 'Remove a connector with its credentials and what is known of it',
    conditional: true,
  }),
  sync: defineRoute({
    id: 'syncConnector',
    method: 'post',
    path: '/connectors/{id}/sync',
    role: 'operator',
    summary: 'Fetch what the upstream offers now',
    body: syncBody,
    bodyOptional: true,
    answer: syncAnswer,
  }),
  tools: defineRoute({
    id: 'listConnectorTools',
    method: 'get',
    path: '/connectors/{id}/tools',
    role: 'viewer',
    summary: 'What the upstream offered last, what was set aside, and what changed',
    query: pageQuery,
    answer: connectorTools,
  }),
  health: defineRoute({
    id: 'getConnectorHealth',
    method: 'get',
    path: '/connectors/{id}/health',
    role: 'viewer',
    summary: 'Whether the upstream answers',
    answer: healthView,
  }),
  check: defineRoute({
    id: 'checkConnector',
    method: 'post',
    path: '/connectors/{id}/check',
    // It dials whatever the address leads to, so only those may ask who may let a connector into a private network.
    role: 'owner',
    summary: 'Try each step of the way to the upstream, without a credential',
    answer: checkAnswer,
  }),
  checkNew: defineRoute({
    id: 'checkNewConnector',
    method: 'post',
    path: '/connectors/check',
    role: 'operator',
    summary:
      'Try each step of the way to an upstream that is not added yet; one step to a line, nothing is kept',
    body: connectorAddition,
    answers: 'lines',
    line: checkStep,
  }),
  logs: defineRoute({
    id: 'getConnectorLogs',
    method: 'get',
    path: '/connectors/{id}/logs',
    role: 'operator',
    summary:
      'The latest lines its process wrote to stderr, what it said on stdout that is no message, and how it ended',
    answer: z.strictObject({ lines: z.array(z.string()) }).meta({ id: 'ConnectorLogs' }),
  }),
} as const;

export type ConnectorAddition = z.infer<typeof connectorAddition>;
export type ConnectorPatch = z.infer<typeof connectorPatch>;
export type ConnectorView = z.infer<typeof connectorView>;
export type ConnectorDetail = z.infer<typeof connectorDetail>;
export type HealthView = z.infer<typeof healthView>;
export type CheckStep = z.infer<typeof checkStep>;
export type CheckAnswer = z.infer<typeof checkAnswer>;
export type SyncAnswer = z.infer<typeof syncAnswer>;
