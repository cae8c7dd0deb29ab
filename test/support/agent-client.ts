import { connect, type ClientOptions, type McpClient } from '../../src/mcp/client/index.js';
import type { TestHub } from './start-hub.js';

export interface AgentClientOptions extends Partial<ClientOptions> {
  /** Which endpoint of the hub. */
  readonly path?: string;
  /** Another agent's key than that of `local`. */
  readonly key?: string;
}

/** An agent's client at the hub. */
export function connectAgent(
  hub: Pick<TestHub, 'url' | 'localKey'>,
  { path = '/mcp', key = hub.localKey, ...options }: AgentClientOptions = {},
): Promise<McpClient> {
  return connect({
    info: { name: 'agent', version: '0' },
    ...options,
    url: hub.url + path,
    headers: { authorization: `Bearer ${key}` },
  });
}
