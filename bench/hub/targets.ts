import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/repository.js';
import type { CompiledBench } from '../compile.js';
import { INSPECTABLE } from './collect-garbage.js';
import { freePort, startProgram, type Program } from './processes.js';
import type { Speech } from './work.js';

/** Somebody between the load and the upstream. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly program: Program;
  readonly speech: Omit<Speech, 'era'>;
}

export interface Surroundings {
  readonly bench: CompiledBench;
  readonly core: number | undefined;
  /** Where the upstream answers. */
  readonly upstream: string;
  /** For files; removed at the end. */
  readonly folder: string;
  /** Keeps what was started, so that it is ended whatever happens. */
  readonly started: (program: Program) => void;
}

export const OURS = 'Crosspoint';
const PEERS = join(ROOT, 'bench', 'hub', 'peers', 'node_modules');
const PLAIN: Target['speech'] = { prefix: '', headers: {} };
/** One that calls, and others whose sessions do nothing: one agent may not hold many. */
export const AGENTS = Array.from({ length: 21 }, (_, i) => `agent-${i}`);
const keyOf = (agent: string): string => `key-of-the-bench-for-${agent}`;
export const headersOf = (agent: string): Record<string, string> => ({
  authorization: `Bearer ${keyOf(agent)}`,
});
const POLICIES = `@id("use")
permit (principal, action, resource in Connector::"stub") when { principal.tags.contains("bench") };

@id("careful")
forbid (principal, action == Action::"call", resource) when { resource.risk == "destructive" && !principal.tags.contains("bench") };
`;

type Start = (surroundings: Surroundings) => Promise<Target>;

function served(
  name: string,
  commandFor: (port: number, around: Surroundings) => readonly string[],
  environment: (port: number, upstream: string) => Record<string, string> = () => ({}),
): Start {
  return async (around) => {
    const port = await freePort();
    const started = await startProgram({
      command: commandFor(port, around),
      core: around.core,
      port,
      environment: environment(port, around.upstream),
      folder: around.folder,
      started: around.started,
    });
    return { name, url: `http://127.0.0.1:${port}/mcp`, program: started, speech: PLAIN };
  };
}

function worker(name: string, file: string): Start {
  return served(name, (port, { bench, upstream }) => [
    process.execPath,
    bench.worker(`../hub/workers/${file}`),
    String(port),
    upstream,
  ]);
}

const nginx = served('nginx', (port, { folder, upstream }) => {
  const { host } = new URL(upstream);
  const place = join(folder, `nginx-${port}`);
  mkdirSync(place);
  const file = join(place, 'nginx.conf');
  const buffers = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(place, name)};`,
  );
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${join(place, 'pid')}; error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; tcp_nodelay on; ${buffers.join(' ')}
  proxy_buffer_size 16k; proxy_buffers 8 256k; proxy_busy_buffers_size 512k; proxy_max_temp_file_size 0;
  upstream stub { server ${host}; keepalive 300; keepalive_requests 100000000; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://stub; proxy_http_version 1.1; proxy_set_header Connection ""; } }
}
`,
  );
  return ['nginx', '-c', file, '-p', place];
});

const stdioStub = (bench: CompiledBench): string => bench.worker('../hub/workers/stub-stdio');

/** Processes behind the hub, on the core of the upstreams: one that does the least, and one as people have them. */
export function stdioChildren(bench: CompiledBench, core: number | undefined) {
  const pin = core === undefined ? [] : ['taskset', '-c', String(core)];
  return {
    least: [...pin, process.execPath, stdioStub(bench)],
    sdk: [...pin, process.execPath, bench.worker('../hub/workers/stub-sdk-stdio')],
  } as const;
}

const mcpProxy = served('mcp-proxy', (port, { bench }) => {
  const options = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
  return [process.execPath, binOf('mcp-proxy'), ...options, '--', process.execPath, stdioStub(bench)];
});

const supergateway = served('supergateway', (port, { bench }) => {
  const options = [
    '--stdio',
    `${process.execPath} ${stdioStub(bench)}`,
    '--outputTransport',
    'streamableHttp',
    '--stateful',
  ];
  return [process.execPath, binOf('supergateway'), ...options, '--logLevel', 'none', '--port', String(port)];
});

const civic = served(
  '@civic/passthrough-mcp-server',
  () => [process.execPath, binOf('@civic/passthrough-mcp-server')],
  (port, upstream) => ({
    PORT: String(port),
    TARGET_SERVER_URL: upstream,
    TARGET_SERVER_TRANSPORT: 'httpStream',
    LOG_LEVEL: 'error',
  }),
);

function binOf(name: string): string {
  const folder = join(PEERS, name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>;
  };
  return join(folder, typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? ''));
}

/** The hub as it is published, with everything on that is on in earnest; in front of a process where one is named. */
export async function startHub(
  { bench, core, upstream, folder, started }: Surroundings,
  child?: readonly string[],
  flags: readonly string[] = [],
): Promise<Target> {
  const port = await freePort();
  const place = join(folder, `hub-${port}`);
  mkdirSync(place);
  const config = {
    agents: Object.fromEntries(AGENTS.map((name) => [name, { keys: [keyOf(name)], tags: ['bench'] }])),
    policies: ['./bench.cedar'],
    connectors: {
      stub: {
        ...(child === undefined ? { url: upstream } : { command: child[0], args: child.slice(1) }),
        era: 'legacy',
        limits: { resultBytes: 4_000_000, concurrency: 1_000, queue: 1_000 },
      },
    },
    audit: { arguments: 'hashed' },
  };
  writeFileSync(join(place, 'crosspoint.json'), JSON.stringify(config));
  writeFileSync(join(place, 'bench.cedar'), POLICIES);
  const data = join(place, 'data');
  const program = await startProgram({
    command: [
      process.execPath,
      // Workers would take the ports after it, of which there are none.
      ...(flags.includes('--workers') ? [] : [INSPECTABLE]),
      bench.program('src/cli/index.js'),
      'serve',
      '--port',
      String(port),
      '--data',
      data,
      '--log-level',
      'error',
      '--json',
      ...flags,
    ],
    core,
    port,
    folder: place,
    started,
  });
  return {
    name: OURS,
    url: `http://127.0.0.1:${port}/mcp`,
    program,
    speech: { prefix: 'stub__', headers: headersOf(AGENTS[0] ?? '') },
  };
}

/** The least that can be between the load and a child, on the core of the hub. */
export async function startPipeProxy(
  { bench, core, started }: Surroundings,
  child: readonly string[],
): Promise<Target> {
  const port = await freePort();
  const command = [process.execPath, bench.worker('../hub/workers/proxy-pipe'), String(port), ...child];
  const program = await startProgram({ command, core, port, started });
  return { name: 'bare proxy', url: `http://127.0.0.1:${port}/mcp`, program, speech: PLAIN };
}

export interface Candidate {
  readonly name: string;
  readonly start: Start;
  /** Why it cannot be measured here. */
  readonly missing?: string;
}

const BARE = 'bare Node proxy';

/** Everybody, or for a quick look only what needs nothing installed. */
export function candidates(quick: boolean, hasNginx: boolean): readonly Candidate[] {
  const ours = { name: OURS, start: (around: Surroundings) => startHub(around) };
  const bare = { name: BARE, start: worker(BARE, 'proxy-bare') };
  if (quick) return [bare, ours];
  const peer = (name: string, start: Start): Candidate =>
    existsSync(join(PEERS, name))
      ? { name, start }
      : { name, start, missing: 'not installed: run `npm ci --ignore-scripts` in bench/hub/peers' };
  return [
    { name: 'nginx', start: nginx, ...(!hasNginx && { missing: 'not installed' }) },
    bare,
    ours,
    peer('mcp-proxy', mcpProxy),
    peer('supergateway', supergateway),
    peer('@civic/passthrough-mcp-server', civic),
    { name: 'pass-through of SDK v1', start: worker('pass-through of SDK v1', 'proxy-sdk-v1') },
    { name: 'pass-through of SDK v2', start: worker('pass-through of SDK v2', 'proxy-sdk-v2') },
  ];
}

export async function startStub(
  around: Pick<Surroundings, 'bench' | 'core' | 'started'>,
  tools = 3,
): Promise<Target> {
  const port = await freePort();
  const command = [process.execPath, around.bench.worker('../hub/workers/stub'), String(port), String(tools)];
  const started = await startProgram({ command, core: around.core, port, started: around.started });
  return { name: 'stub directly', url: `http://127.0.0.1:${port}/mcp`, program: started, speech: PLAIN };
}
