import { createAgentKey, type AgentDirectory } from '../../src/agents/index.js';
import { parseConnector, type ConnectorDirectory } from '../../src/connectors/index.js';
import type { createPolicyDirectory, Policy } from '../../src/governance/index.js';
import { Secret, toAgentId, toPolicyId } from '../../src/kernel/index.js';

export const FILE_AGENT_KEY = 'file-agent-key-0123456789abcdef';
/** Secrets that stand in the configuration from the start. */
const FILE_SECRETS = {
  token: 'canary-file-token-AAAA',
  env: 'canary-file-env-BBBB',
  query: 'canary-query-CCCC',
  args: 'canary-args-DDDD',
};

const STARTER: Policy = {
  id: toPolicyId('starter'),
  text: 'permit(principal == Agent::"local", action, resource);',
  source: 'built_in',
  version: 1,
  updatedAt: 0,
};

interface Configured {
  readonly connectors: ConnectorDirectory;
  readonly agents: AgentDirectory;
  readonly policies: ReturnType<typeof createPolicyDirectory>;
}

/** What stands in the configuration of every hub that admin tests open. */
export function configureAdminHub({ connectors, agents, policies }: Configured, now: number): void {
  connectors.configure([
    parseConnector(
      'filed',
      {
        url: `http://127.0.0.1:9/mcp?key=${FILE_SECRETS.query}`,
        auth: { type: 'bearer', token: FILE_SECRETS.token },
      },
      { source: 'file', now },
    ),
    parseConnector(
      'child',
      { command: 'node', args: ['server.mjs', FILE_SECRETS.args], env: { KEY: FILE_SECRETS.env } },
      { source: 'environment', now },
    ),
    parseConnector('sample', { command: 'node', args: [] }, { source: 'built_in', now }),
  ]);
  const filed = toAgentId('filed');
  const local = toAgentId('local');
  agents.configure([
    {
      agent: {
        id: local,
        name: 'Local',
        enabled: true,
        tags: [],
        source: 'built_in',
        version: 1,
        createdAt: now,
        updatedAt: now,
      },
      keys: [],
    },
    {
      agent: {
        id: filed,
        name: 'Filed',
        enabled: true,
        tags: [],
        source: 'file',
        version: 1,
        createdAt: now,
        updatedAt: now,
      },
      keys: [createAgentKey({ agentId: filed, now, key: new Secret(FILE_AGENT_KEY) }).key],
    },
  ]);
  policies.configure([
    STARTER,
    {
      ...STARTER,
      id: toPolicyId('from-file'),
      source: 'file',
      text: 'forbid(principal == Agent::"nobody", action, resource);',
    },
  ]);
}
