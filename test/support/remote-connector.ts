import { connectAgent } from './agent-client.js';
import type { Closable } from './resources.js';
import { startUpstream, type SeenRequest, type UpstreamScript } from './scripted-upstream.js';
import { startTestHub, waitForSync, type TestHubOptions } from './start-hub.js';

const TOOLS = [
  {
    name: 'add',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
];

export interface RemoteOptions {
  readonly script?: UpstreamScript;
  /** Further fields of the connector. */
  readonly connector?: object;
  /** Further parts of the configuration. */
  readonly config?: object;
  readonly options?: TestHubOptions;
}

/** A hub with the connector `remote`, whose tool `add` wants two numbers, and an agent's client at the hub. */
export async function startRemote(
  keep: <Resource extends Closable>(resource: Resource) => Resource,
  { script, connector, config, options }: RemoteOptions = {},
) {
  const upstream = keep(await startUpstream({ tools: TOOLS, ...script }));
  const connectors = { remote: { name: 'Remote', url: upstream.url, ...connector } };
  const hub = keep(await startTestHub({ ...options, config: { connectors, ...config } }));
  await waitForSync(hub, 'remote');
  const client = keep(await connectAgent(hub));
  const call = (args: object = { a: 1, b: 2 }) => client.callTool('remote__add', { ...args });
  return { upstream, hub, client, call };
}

/** The requests of one MCP method, or those without a body of one HTTP method. */
export function requestsOf(seen: readonly SeenRequest[], method: string): SeenRequest[] {
  return seen.filter(({ rpc, httpMethod }) => (rpc.method ?? httpMethod) === method);
}
