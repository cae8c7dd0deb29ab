import type { Agent } from '../../agents/index.js';
import { ADMIN_ROUTES, type CredentialView } from '../../contract/index.js';
import { toKeyId, type AgentId } from '../../kernel/index.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { pageOf } from './list-page.js';
import { agentNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toAgentDetail, toAgentView, toKeyView } from './views/agent-view.js';
import { toCredentialView } from './views/credential-view.js';

const ROUTES = ADMIN_ROUTES.agents;

export function registerAgentRoutes(register: Register, deps: AdminDependencies): void {
  const { agents, operations } = deps;
  const detail = async (agent: Agent) => ({
    body: toAgentDetail(agent, await agents.listKeys(agent.id), await credentialsOf(deps, agent.id)),
    tag: tagOf(agent),
  });
  const require = async (name: string) => requireFound(await agents.find(agentNamed(name)), 'agent', name);

  register(ROUTES.list, async ({ query }) => {
    const { items, ...more } = pageOf('agents', await agents.list(), ({ id }) => id, query);
    return { body: { items: items.map(toAgentView), ...more } };
  });
  register(ROUTES.add, async ({ by, body }) => detail(await operations.addAgent({ by, input: body })));
  register(ROUTES.get, async ({ names }) => detail(await require(names.id)));
  register(ROUTES.change, async ({ by, names, body, ifMatch }) => {
    const current = await require(names.id);
    return detail(
      await operations.changeAgent({
        by,
        id: current.id,
        patch: body,
        expectedVersion: expectedVersion(ifMatch, current),
      }),
    );
  });
  register(ROUTES.remove, async ({ by, names, ifMatch }) => {
    const current = await require(names.id);
    return {
      body: await operations.removeAgent({
        by,
        id: current.id,
        expectedVersion: expectedVersion(ifMatch, current),
      }),
    };
  });
  register(ROUTES.addKey, async ({ by, names, body }) => {
    const { id } = await require(names.id);
    const expiry = body.expiresAt === undefined ? {} : { expiresAt: Date.parse(body.expiresAt) };
    const { key, secret } = await operations.addAgentKey({ by, agent: id, ...expiry });
    return { body: { ...toKeyView(key), agent: id, key: secret.reveal() } };
  });
  register(ROUTES.revokeKey, async ({ by, names }) => {
    const { id } = await require(names.id);
    return { body: await operations.revokeAgentKey({ by, agent: id, key: toKeyId(names.keyId) }) };
  });
}

/** Of connectors that exist; what belongs to one that the configuration named once is of no use now. */
async function credentialsOf(
  { credentials, connectors, clock }: AdminDependencies,
  agent: AgentId,
): Promise<CredentialView[]> {
  const own = (await credentials.list()).filter(
    ({ owner }) => owner.kind === 'agent' && owner.agent === agent,
  );
  const views = own.map(async (credential) => {
    const connector = await connectors.find(credential.connector);
    return connector === undefined ? [] : [toCredentialView(credential, connector, clock.now())];
  });
  return (await Promise.all(views)).flat();
}
