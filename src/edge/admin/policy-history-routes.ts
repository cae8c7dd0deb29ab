import { ADMIN_ROUTES, DEFAULT_PAGE } from '../../contract/index.js';
import type { PolicyVersion } from '../../governance/index.js';
import { HubError, type PolicyId } from '../../kernel/index.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { pageOf, readCursor, writeCursor } from './list-page.js';
import { policyNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toPolicyView, toVersionView } from './views/policy-view.js';

const ROUTES = ADMIN_ROUTES.policies;
const LIST = 'policy-versions';

type Needs = Pick<AdminDependencies, 'policies' | 'policyHistory' | 'operations'>;

/** What policies said before, and the way back to it. */
export function registerPolicyHistory(
  register: Register,
  { policies, policyHistory, operations }: Needs,
): void {
  register(ROUTES.versions, async ({ names, query: { limit = DEFAULT_PAGE, cursor } }) => {
    const id = policyNamed(names.id);
    const before = cursor === undefined ? {} : { before: numberOf(readCursor(LIST, cursor)) };
    const found = await policyHistory.versions(id, { ...before, limit: limit + 1 });
    if (found.length === 0 && cursor === undefined) requireFound(await policies.find(id), 'policy');
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const more =
      found.length > limit && last !== undefined
        ? { nextCursor: writeCursor(LIST, String(last.version)) }
        : {};
    return { body: { items: items.map(toVersionView), ...more } };
  });
  register(ROUTES.version, async ({ names }) => {
    const { text, ...version } = await requireVersion(policyHistory, policyNamed(names.id), names.version);
    const view = toVersionView({ ...version, text });
    return { body: { ...view, ...(text !== undefined && { text }) } };
  });
  register(ROUTES.restore, async ({ by, names, ifMatch }) => {
    const id = policyNamed(names.id);
    const { text } = await requireVersion(policyHistory, id, names.version);
    if (text === undefined) throw new HubError('conflict', 'it was removed in this version');
    const expected = expectedVersion(ifMatch, await policies.find(id));
    const { policy } = await operations.savePolicy({
      by,
      id,
      text,
      replace: true,
      expectedVersion: expected,
    });
    return { body: toPolicyView(policy), tag: tagOf(policy) };
  });
  register(ROUTES.removed, async ({ query }) => {
    const { items, ...more } = pageOf(
      'removed-policies',
      await policyHistory.removed(),
      ({ policy }) => policy,
      query,
    );
    return { body: { items: items.map(toVersionView), ...more } };
  });
}

async function requireVersion(
  history: AdminDependencies['policyHistory'],
  id: PolicyId,
  version: string,
): Promise<PolicyVersion> {
  const number = /^\d{1,9}$/.test(version) ? Number(version) : undefined;
  return requireFound(
    number === undefined ? undefined : await history.findVersion(id, number),
    'version of the policy',
  );
}

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new HubError('invalid_cursor', 'the cursor is not one of this list');
}
