import type { AgentDirectory } from '../agents/index.js';
import type { Connector, ConnectorDirectory } from '../connectors/index.js';
import {
  DEFAULT_ACCOUNT,
  ownerName,
  type AccountFlow,
  type CredentialOwner,
  type CredentialStore,
} from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, invalidField, isName, NAME_RULE, type ConnectorId } from '../kernel/index.js';
import { requireOwner } from './admin.js';
import {
  actorOf,
  type Initiator,
  type PendingConnections,
  type ReturnTarget,
} from './pending-connections.js';

export interface BeginConnectionDependencies {
  readonly connectors: Pick<ConnectorDirectory, 'require'>;
  readonly agents: Pick<AgentDirectory, 'require'>;
  readonly credentialStore: Pick<CredentialStore, 'find'>;
  readonly flow: Pick<AccountFlow, 'begin'>;
  readonly pending: Pick<PendingConnections, 'requireRoom' | 'put'>;
  readonly events: Pick<EventLog, 'append'>;
  /** Of the hub, for a path of ours. */
  readonly urlOf: (path: string) => string;
}

export type BeginConnection = (request: {
  readonly by: Initiator;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  /** Undefined: the default one, or the first. */
  readonly account?: string | undefined;
  readonly returnTo?: ReturnTarget;
  readonly signal?: AbortSignal;
}) => Promise<{ readonly authorizationUrl: string }>;

export const CALLBACK_PATH = '/oauth/callback';

const BEGIN_MS = 30_000;

/** Finds the authorization server and makes the address to send a person to. */
export function createBeginConnection(deps: BeginConnectionDependencies): BeginConnection {
  return async function beginConnection({ by, connector: id, owner, account, returnTo, signal }) {
    const connector = await deps.connectors.require(id);
    requireConnectable(connector, owner);
    requireMayConnect(by, owner);
    if (account !== undefined && !isName(account)) throw invalidField('account', `must be ${NAME_RULE}`);
    if (owner.kind === 'agent') await deps.agents.require(owner.agent);
    await deps.pending.requireRoom(by);
    const before = await deps.credentialStore.find(id, owner, account);
    const limit = AbortSignal.timeout(BEGIN_MS);
    const begun = await deps.flow.begin({
      connector,
      // Fixed for this hub: nothing a request says of itself is in it.
      redirectUri: deps.urlOf(CALLBACK_PATH),
      before: before?.grant,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const name = account ?? before?.account ?? DEFAULT_ACCOUNT;
    const target = returnTo ?? { kind: 'page', path: undefined };
    await deps.pending.put({ connector: id, owner, account: name, begun, by, returnTo: target });
    deps.events.append(actorOf(by), {
      type: 'account.connecting',
      connector: id,
      owner: ownerName(owner),
      account: name,
    });
    return { authorizationUrl: begun.authorizationUrl };
  };
}

function requireConnectable({ id, auth, credentialMode }: Connector, owner: CredentialOwner): void {
  if (auth.type !== 'oauth')
    throw new HubError('not_supported', `connector ${id} ${adviceFor(auth.type, id)}`);
  if (owner.kind === 'agent' && credentialMode !== 'per_agent')
    throw new HubError(
      'conflict',
      `connector ${id} uses one shared account: connect it without an agent, or set credentialMode to per_agent`,
    );
}

function adviceFor(type: Exclude<Connector['auth']['type'], 'oauth'>, id: ConnectorId): string {
  switch (type) {
    case 'none':
      return 'needs no account';
    case 'client_credentials':
      return 'signs in by itself: there is nobody to ask';
    default:
      return `has ${type}: store it with PUT /connectors/${id}/credentials/shared or …/{agent}`;
  }
}

/** Whose account it becomes decides who may sign in: the agent itself, or somebody who decides about agents. */
function requireMayConnect(by: Initiator, owner: CredentialOwner): void {
  if (by.kind === 'agent') {
    if (owner.kind === 'agent' && owner.agent === by.id) return;
    throw new HubError('forbidden', 'an agent may connect its own accounts only');
  }
  if (owner.kind === 'agent') requireOwner(by, 'connect an account for an agent');
}
