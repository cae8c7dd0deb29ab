/** What a module may reach: other modules by name, npm packages, and parts of Node that reach further. */
export interface Limit {
  readonly uses: readonly string[];
  readonly packages: readonly string[];
  readonly builtins: readonly string[];
}

/** Parts of Node that reach nothing outside the process. Everybody may use them; all others must be granted. */
export const FREE_BUILTINS: readonly string[] = [
  'node:buffer',
  'node:crypto',
  'node:events',
  'node:stream',
  'node:timers/promises',
  'node:url',
  'node:util',
];

function limit(
  uses: readonly string[],
  packages: readonly string[] = [],
  builtins: readonly string[] = [],
): Limit {
  return { uses, packages, builtins };
}

/** Who may use whom, and which packages. Adding an arrow is a reviewed change. */
export const MODULES: Readonly<Record<string, Limit>> = {
  'mcp/jsonrpc': limit([]),
  'mcp/model': limit(['mcp/jsonrpc']),
  'mcp/sse': limit([]),
  'mcp/wire': limit(['mcp/jsonrpc', 'mcp/model']),
  'mcp/transports': limit(
    ['mcp/jsonrpc', 'mcp/sse'],
    ['undici', 'cross-spawn'],
    // Children, and `/proc` to find their descendants; connections without TLS; undici where it is needed.
    ['node:child_process', 'node:fs', 'node:fs/promises', 'node:module', 'node:net', 'node:path', 'node:tls'],
  ),
  'mcp/client': limit(['mcp/jsonrpc', 'mcp/model', 'mcp/wire', 'mcp/transports']),
  'mcp/server': limit(
    ['mcp/jsonrpc', 'mcp/model', 'mcp/sse', 'mcp/wire', 'mcp/transports'],
    [],
    ['node:http', 'node:net'],
  ),
  'mcp/auth': limit([], ['oauth4webapi']),
  kernel: limit([]),
  contract: limit([], ['zod']),
  agents: limit(['kernel', 'contract'], ['jose', 'oauth4webapi']),
  connectors: limit(['kernel', 'contract'], ['ipaddr.js']),
  credentials: limit(['kernel', 'connectors', 'mcp/auth']),
  catalog: limit(['kernel', 'connectors', 'mcp/jsonrpc', 'mcp/model']),
  governance: limit(
    ['kernel', 'mcp/jsonrpc', 'mcp/model'],
    ['@cedar-policy/cedar-wasm', 'ajv', 'ajv-formats', 're2js'],
    // Its libraries are loaded when they are first needed, and the largest is given back.
    ['node:module', 'node:v8', 'node:vm'],
  ),
  upstreams: limit(
    [
      'kernel',
      'connectors',
      'credentials',
      'catalog',
      'mcp/jsonrpc',
      'mcp/model',
      'mcp/client',
      'mcp/transports',
    ],
    ['undici'],
    ['node:dns', 'node:module', 'node:zlib'],
  ),
  operations: limit([
    'kernel',
    'contract',
    'agents',
    'connectors',
    'credentials',
    'catalog',
    'governance',
    'upstreams',
    'mcp/jsonrpc',
    'mcp/model',
  ]),
  /** The core without a hub, for programs that embed it. */
  library: limit(['catalog', 'governance', 'mcp/jsonrpc', 'mcp/model', 'mcp/client']),
  storage: limit(
    // Snapshots keep exact numbers.
    ['kernel', 'agents', 'connectors', 'credentials', 'catalog', 'governance', 'mcp/jsonrpc'],
    ['kysely', 'pg', '@photostructure/sqlite'],
    // A thread that copies the write-ahead log of SQLite, and where its driver is.
    ['node:fs', 'node:fs/promises', 'node:module', 'node:path', 'node:readline', 'node:worker_threads'],
  ),
  /** Locks and the change feed between processes. */
  coordination: limit(['kernel'], ['ioredis']),
  telemetry: limit(
    ['kernel', 'governance', 'mcp/server'],
    [
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace-base',
    ],
    // Open descriptors are counted in `/proc`.
    ['node:fs', 'node:perf_hooks'],
  ),
  edge: limit(
    [
      'kernel',
      'contract',
      'agents',
      'connectors',
      'credentials',
      'catalog',
      'governance',
      'upstreams',
      'operations',
      'mcp/jsonrpc',
      'mcp/model',
      'mcp/wire',
      'mcp/server',
    ],
    ['hono', '@hono/zod-openapi', '@hono/node-server', 'oidc-provider'],
    // The latter to see how full the heap is.
    ['node:http', 'node:v8'],
  ),
  app: limit(
    [
      'kernel',
      'contract',
      'agents',
      'connectors',
      'credentials',
      'catalog',
      'governance',
      'upstreams',
      'operations',
      'storage',
      'coordination',
      'edge',
      'telemetry',
      'mcp/jsonrpc',
      'mcp/client',
      'mcp/transports',
      'mcp/server',
    ],
    ['yaml', 'jsonc-parser', 'zod', 'undici', '@hono/node-server', '@napi-rs/keyring'],
    // Of the first, a guard that ends the hub's children when the hub is killed.
    [
      'node:child_process',
      'node:dns/promises',
      'node:fs',
      'node:http',
      'node:module',
      'node:net',
      'node:os',
      'node:path',
      'node:tls',
      'node:zlib',
    ],
  ),
  cli: limit(
    ['kernel', 'contract', 'app', 'mcp/jsonrpc', 'mcp/sse'],
    ['commander', '@clack/prompts', 'picocolors', 'undici', 'chokidar'],
    // A browser is opened, and brings back to a listener that somebody signed in. Workers are processes of a cluster.
    ['node:child_process', 'node:cluster', 'node:fs', 'node:http', 'node:net', 'node:path', 'node:v8'],
  ),
};

/** Modules inside `src/mcp` are named with their folder; everywhere else the first folder is the module. */
export function moduleOf(path: string): string | undefined {
  return /^src\/((?:mcp\/)?[^/]+)\/[^/]/.exec(path)?.[1];
}
