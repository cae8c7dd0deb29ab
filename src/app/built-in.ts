import { fileURLToPath } from 'node:url';
import { createAgentKey, type ConfiguredAgent } from '../agents/index.js';
import { parseConnector, type Connector } from '../connectors/index.js';
import type { Policy } from '../governance/index.js';
import { toAgentId, toPolicyId, type Secret } from '../kernel/index.js';

/** What a hub has before anybody configured it, so that the first call works. */

export function localAgent(token: Secret, now: number): ConfiguredAgent {
  const id = toAgentId('local');
  return {
    agent: {
      id,
      name: 'Local',
      enabled: true,
      tags: [],
      source: 'built_in',
      version: 1,
      createdAt: now,
      updatedAt: now,
    },
    keys: [createAgentKey({ agentId: id, now, key: token }).key],
  };
}

export function starterPolicy(now: number): Policy {
  return {
    id: toPolicyId('starter'),
    text: '// The local agent may use everything. Other agents need a policy of their own.\npermit(principal == Agent::"local", action, resource);\n',
    source: 'built_in',
    version: 1,
    updatedAt: now,
  };
}

export function sampleConnector(now: number): Connector {
  const script = fileURLToPath(new URL('../../examples/sample-server.mjs', import.meta.url));
  return parseConnector(
    'sample',
    { name: 'Sample', command: process.execPath, args: [script] },
    { source: 'built_in', now },
  );
}
