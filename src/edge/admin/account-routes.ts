import { ADMIN_ROUTES } from '../../contract/index.js';
import { ownerName, type CredentialOwner } from '../../credentials/index.js';
import type { AdminCaller, Initiator } from '../../operations/index.js';
import { toReturnTarget } from '../oauth/return-target.js';
import { findOwner, savedView } from './credential-routes.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { pageOf } from './list-page.js';
import { accountNamed, agentNamed, connectorNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toCredentialView } from './views/credential-view.js';

const ROUTES = ADMIN_ROUTES.credentials;

/** Accounts that come from a sign-in: beginning, finishing, choosing, ending. */
export function registerAccountRoutes(register: Register, deps: AdminDependencies): void {
  const requireConnector = async (name: string) =>
    requireFound(await deps.connectors.find(connectorNamed(name)), 'connector', name);

  register(ROUTES.accounts, async ({ names, query }) => {
    const connector = await requireConnector(names.id);
    const accounts = await deps.credentials.list(connector.id);
    const keyOf = ({ owner, account }: (typeof accounts)[number]) =>
      `${owner.kind} ${ownerName(owner)} ${account}`;
    const { items, ...more } = pageOf(`accounts of ${connector.id}`, accounts, keyOf, query);
    const now = deps.clock.now();
    return { body: { items: items.map((found) => toCredentialView(found, connector, now)), ...more } };
  });
  register(ROUTES.connect, async ({ by, names, body }) => {
    const { id } = await requireConnector(names.id);
    const { agent, account, returnTo } = body;
    const owner: CredentialOwner =
      agent === undefined
        ? { kind: 'shared' }
        : {
            kind: 'agent',
            agent: requireFound(await deps.agents.find(agentNamed(agent)), 'agent', agent).id,
          };
    const { authorizationUrl } = await deps.operations.connections.begin({
      by: toInitiator(by),
      connector: id,
      owner,
      account,
      returnTo: toReturnTarget(returnTo, by.signedIn !== undefined),
    });
    return { body: { authorizationUrl } };
  });
  register(ROUTES.finish, async ({ by, names, body }) => {
    const { id } = await requireConnector(names.id);
    const connected = await deps.operations.connections.finish.confirm({
      by,
      connector: id,
      confirmation: body.confirmation,
    });
    return { body: savedView(connected, connected.connector, deps.clock.now()) };
  });
  registerKnown(register, deps);
}

/** What is done with an account that is there. */
function registerKnown(register: Register, deps: AdminDependencies): void {
  register(ROUTES.chooseAccount, async ({ by, names }) => {
    const { connector, owner } = await findOwner(deps, names);
    const account = accountNamed(names.account);
    await deps.operations.chooseAccount({ by, connector: connector.id, owner, account });
    const chosen = requireFound(await deps.credentials.find(connector.id, owner, account), 'account');
    return { body: toCredentialView(chosen, connector, deps.clock.now()), tag: tagOf(chosen) };
  });
  register(ROUTES.removeAccount, async ({ by, names, ifMatch }) => {
    const { connector, owner } = await findOwner(deps, names);
    const account = accountNamed(names.account);
    const current = requireFound(await deps.credentials.find(connector.id, owner, account), 'account');
    const expected = expectedVersion(ifMatch, current);
    return {
      body: await deps.operations.removeCredential({
        by,
        connector: connector.id,
        owner,
        account,
        ...(expected !== undefined && { expectedVersion: expected }),
      }),
    };
  });
}

/** Begun in a browser it ends in that browser; begun with a token it ends by whoever has the token. */
function toInitiator({ id, role, request, signedIn }: AdminCaller): Initiator {
  return {
    kind: 'admin',
    id,
    role,
    request,
    ...(signedIn !== undefined && { browser: signedIn.session.id }),
  };
}
