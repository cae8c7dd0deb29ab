import { ADMIN_ROUTES } from '../../contract/index.js';
import { findPolicyProblems, POLICY_SCHEMA, type Policy } from '../../governance/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { pageOf } from './list-page.js';
import { registerPolicyHistory } from './policy-history-routes.js';
import { agentNamed, policyNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toPolicyView } from './views/policy-view.js';

const ROUTES = ADMIN_ROUTES.policies;

export function registerPolicyRoutes(register: Register, deps: AdminDependencies): void {
  const { policies, operations } = deps;
  registerPolicyHistory(register, deps);
  registerChecks(register);
  const detail = (policy: Policy) => ({ body: toPolicyView(policy), tag: tagOf(policy) });

  register(ROUTES.list, async ({ query }) => {
    const { items, ...more } = pageOf('policies', await policies.list(), ({ id }) => id, query);
    return { body: { items: items.map(toPolicyView), ...more } };
  });
  register(ROUTES.add, async ({ by, body: { id, text } }) =>
    detail((await operations.savePolicy({ by, id, text, replace: false })).policy),
  );
  register(ROUTES.get, async ({ names }) =>
    detail(requireFound(await policies.find(policyNamed(names.id)), 'policy', names.id)),
  );
  register(ROUTES.save, async ({ by, names, body: { text }, ifMatch }) => {
    const id = policyNamed(names.id);
    const expected = expectedVersion(ifMatch, await policies.find(id));
    const { policy, created } = await operations.savePolicy({
      by,
      id,
      text,
      replace: true,
      expectedVersion: expected,
    });
    return { ...detail(policy), created };
  });
  register(ROUTES.remove, async ({ by, names, ifMatch }) => {
    const current = requireFound(await policies.find(policyNamed(names.id)), 'policy', names.id);
    return {
      body: await operations.removePolicy({
        by,
        id: current.id,
        expectedVersion: expectedVersion(ifMatch, current),
      }),
    };
  });
  register(ROUTES.explain, async ({ body }) => {
    const { entry, decision, risk, tags, listed } = await operations.explainPolicy({
      agent: agentNamed(body.agent),
      tool: body.tool,
      args: body.arguments as JsonObject | undefined,
      seen: [...new Set(body.seen)].toSorted(),
    });
    return {
      body: {
        decision: decision.kind,
        policies: [...decision.policies],
        reason: decision.reason,
        listed,
        connector: entry.connector.id,
        tool: entry.tool.name,
        exposedName: entry.exposedName,
        risk,
        tags: [...tags],
      },
    };
  });
}

/** For who writes one. */
function registerChecks(register: Register): void {
  register(ROUTES.check, async ({ body: { text } }) => ({
    body: { problems: [...(await findPolicyProblems(text))] },
  }));
  register(ROUTES.schema, async () => ({ body: { schema: POLICY_SCHEMA } }));
}
