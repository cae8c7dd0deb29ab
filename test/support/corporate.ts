import type { Closable } from './resources.js';
import { startUpstream, type UpstreamScript } from './scripted-upstream.js';
import { startTestHub, type TestHubOptions } from './start-hub.js';

/** The only tool of the server in the environment. */
export const QUERY = {
  name: 'query_database',
  description: 'Execute a database query using the JSON API',
  inputSchema: {
    type: 'object',
    properties: { query_payload: { type: 'object' } },
    required: ['query_payload'],
  },
};

/** A hub that knows the server `corporate` from environment variables alone. */
export async function startCorporate(
  keep: <Resource extends Closable>(resource: Resource) => Resource,
  script: UpstreamScript = {},
  more: Readonly<Record<string, string>> = {},
  options: TestHubOptions = {},
) {
  const upstream = keep(await startUpstream({ tools: [QUERY], sse: true, ...script }));
  const hub = keep(
    await startTestHub({
      ...options,
      environment: {
        MCP_ENABLE: 'true',
        MCP_SERVER_CORPORATE_TYPE: 'remote',
        MCP_SERVER_CORPORATE_TRANSPORT: 'streamable_http',
        MCP_SERVER_CORPORATE_URL: upstream.url,
        MCP_SERVER_CORPORATE_ENABLED: 'true',
        MCP_SERVER_CORPORATE_TIMEOUT: '30.0',
        MCP_CLIENT_RETRY_ATTEMPTS: '3',
        MCP_CLIENT_TIMEOUT: '30.0',
        MCP_HEALTH_CHECK_INTERVAL: '60.0',
        ...more,
      },
    }),
  );
  return { upstream, hub };
}
