import type { AgentDirectory, BrowserSession } from '../agents/index.js';
import type { Connector, ConnectorDirectory } from '../connectors/index.js';
import {
  afterSignIn,
  belongsTo,
  ownerName,
  type AccountFlow,
  type Credential,
  type CredentialStore,
  type GrantedTokens,
  type TokenKeeper,
} from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, isHubError, type Clock, type ConnectorId } from '../kernel/index.js';
import type { AdminCaller } from './admin.js';
import { CallbackLimits } from './callback-limits.js';
import { credentialTurn } from './credential-turn.js';
import {
  actorOf,
  type Initiator,
  type PendingConnection,
  type PendingConnections,
} from './pending-connections.js';
import { syncIfUnknown, type SyncAttempt, type SyncIfUnknownDependencies } from './sync-if-unknown.js';
import type { Turns } from './turns.js';

export interface FinishConnectionDependencies extends SyncIfUnknownDependencies {
  readonly connectors: Pick<ConnectorDirectory, 'require'>;
  readonly agents: Pick<AgentDirectory, 'require'>;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'save'>;
  readonly flow: Pick<AccountFlow, 'finish'>;
  readonly tokens: Pick<TokenKeeper, 'changed'>;
  readonly pending: Pick<PendingConnections, 'find' | 'take' | 'keepAnswer' | 'takeAnswer'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
  readonly clock: Clock;
}

export interface ConnectedAccount {
  readonly kind: 'connected';
  readonly connector: Connector;
  readonly credential: Credential;
  /** A page of ours to go back to. */
  readonly returnTo: string | undefined;
  readonly sync: SyncAttempt | undefined;
}

export type FinishedConnection =
  | ConnectedAccount
  /** Whoever began has to take it: the browser goes there. */
  | { readonly kind: 'confirm'; readonly location: string }
  /** Whoever began has to sign in with the browser first, and claim it by this name. */
  | { readonly kind: 'sign_in'; readonly name: string }
  /** It came to nothing, and the person goes back to where they began. */
  | { readonly kind: 'refused'; readonly error: HubError; readonly returnTo: string };

export interface FinishConnection {
  /** With what an authorization server sent to our address, in whichever browser it came. */
  answer(request: {
    readonly response: URLSearchParams;
    /** Who signed in with it, asked for only where it matters. */
    readonly browser: () => Promise<BrowserSession | undefined>;
    /** Whether a browser brought it that somebody sits in front of, and not a program. */
    readonly isPerson: boolean;
    /** Where it came from. */
    readonly address: string;
  }): Promise<FinishedConnection>;
  /** By somebody who signed in since: an answer that was kept for whoever began. */
  claim(request: { readonly name: string; readonly browser: BrowserSession }): Promise<FinishedConnection>;
  /** By whoever began it, with the name that the browser brought. */
  confirm(request: {
    readonly by: AdminCaller;
    readonly connector: ConnectorId;
    readonly confirmation: string;
  }): Promise<ConnectedAccount>;
}

const FINISH_MS = 30_000;
const SAVE_ATTEMPTS = 3;

export function createFinishConnection(deps: FinishConnectionDependencies): FinishConnection {
  const limits = new CallbackLimits(deps.clock);
  return {
    async answer({ response, browser, isPerson, address }) {
      limits.require(address);
      const state = onlyOne(response, 'state');
      const found = state === undefined ? undefined : await deps.pending.find(state);
      if (state === undefined || found === undefined) {
        if (limits.wrong(address))
          deps.events.append({ kind: 'hub' }, { type: 'account.refused', error: 'invalid_request' });
        throw unknownState();
      }
      const session = await browser();
      const mayFinish = isInitiator(found.by, session);
      const pending = await deps.pending.take(state);
      if (pending === undefined) throw unknownState();
      if (!mayFinish) throw refuse(deps, pending, otherBrowser());
      if (pending.returnTo.kind === 'loopback') {
        const name = await deps.pending.keepAnswer({ pending, response: response.toString() });
        const location = new URL(pending.returnTo.url);
        location.searchParams.set('confirmation', name);
        return { kind: 'confirm', location: location.href };
      }
      // Begun by a program: whose account the person here has just opened must not end in the hands of somebody else.
      if (isPerson && session === undefined)
        return {
          kind: 'sign_in',
          name: await deps.pending.keepAnswer({ pending, response: response.toString() }),
        };
      return finishForPerson(deps, pending, response);
    },
    async claim({ name, browser }) {
      const answered = await deps.pending.takeAnswer(name);
      if (answered === undefined) throw unknownState();
      const { pending, response } = answered;
      if (!isInitiator(pending.by, browser)) throw refuse(deps, pending, otherBrowser());
      return finishForPerson(deps, pending, new URLSearchParams(response));
    },
    async confirm({ by, connector, confirmation }) {
      const answered = await deps.pending.takeAnswer(confirmation);
      if (answered === undefined || answered.pending.connector !== connector) throw unknownState();
      const { pending, response } = answered;
      if (pending.by.kind !== 'admin' || pending.by.id !== by.id) throw refuse(deps, pending, otherBrowser());
      return finish(deps, pending, new URLSearchParams(response));
    },
  };
}

/** One that is given twice says nothing. */
function onlyOne(response: URLSearchParams, name: string): string | undefined {
  const given = response.getAll(name);
  return given.length === 1 ? given[0] : undefined;
}

/** Begun in a browser, it ends in that browser. Begun by a program, no browser of somebody else may end it. */
function isInitiator(by: Initiator, browser: BrowserSession | undefined): boolean {
  if (by.browser !== undefined) return browser?.id === by.browser;
  return browser === undefined || (browser.principal.kind === by.kind && browser.principal.id === by.id);
}

async function finish(
  deps: FinishConnectionDependencies,
  pending: PendingConnection,
  response: URLSearchParams,
): Promise<ConnectedAccount> {
  try {
    const connector = await deps.connectors.require(pending.connector);
    const tokens = await deps.flow.finish(connector, pending.begun, response, AbortSignal.timeout(FINISH_MS));
    const credential = await keep(deps, connector, pending, tokens);
    const { owner, account } = credential;
    deps.tokens.changed(connector.id, owner, account);
    deps.events.append(actorOf(pending.by), {
      type: 'account.connected',
      connector: connector.id,
      owner: ownerName(owner),
      account,
      issuer: tokens.grant.issuer,
      scopes: tokens.grant.scopes,
    });
    const sync = await syncIfUnknown(deps, actorOf(pending.by), connector, owner);
    const { returnTo } = pending;
    return {
      kind: 'connected',
      connector,
      credential,
      returnTo: returnTo.kind === 'page' ? returnTo.path : undefined,
      sync,
    };
  } catch (error) {
    throw refuse(deps, pending, error);
  }
}

/** Where a person waits for the outcome, a failure leads back to where they began. */
async function finishForPerson(
  deps: FinishConnectionDependencies,
  pending: PendingConnection,
  response: URLSearchParams,
): Promise<FinishedConnection> {
  try {
    return await finish(deps, pending, response);
  } catch (error) {
    const { returnTo } = pending;
    if (!(error instanceof HubError) || returnTo.kind !== 'page' || returnTo.path === undefined) throw error;
    return { kind: 'refused', error, returnTo: returnTo.path };
  }
}

/** A sign-in takes the place of whatever was there, also of what a renewal writes at the same time. */
async function keep(
  deps: FinishConnectionDependencies,
  { id }: Connector,
  { owner, account }: PendingConnection,
  tokens: GrantedTokens,
): Promise<Credential> {
  return credentialTurn(deps.turns, id, owner, async () => {
    // Either may have been removed or changed while somebody signed in, and nothing may be kept for what is not there.
    const connector = await deps.connectors.require(id);
    if (owner.kind === 'agent') await deps.agents.require(owner.agent);
    if (!belongsTo(tokens.grant, connector))
      throw new HubError('conflict', `connector ${id} was changed during the sign-in: begin again`);
    for (let attempt = 1; ; attempt++) {
      const before = await deps.credentialStore.find(id, owner, account);
      const credential: Credential = {
        connector: id,
        owner,
        account,
        isDefault: before?.isDefault ?? false,
        values: tokens.values,
        grant: afterSignIn(tokens.grant, before?.grant),
        version: (before?.version ?? 0) + 1,
        updatedAt: deps.clock.now(),
      };
      try {
        await deps.credentialStore.save(credential, before?.version ?? 0);
        return (await deps.credentialStore.find(id, owner, account)) ?? credential;
      } catch (error) {
        if (!isHubError(error, 'precondition_failed') || attempt >= SAVE_ATTEMPTS) throw error;
      }
    }
  });
}

function refuse(deps: FinishConnectionDependencies, pending: PendingConnection, error: unknown): unknown {
  deps.events.append(actorOf(pending.by), {
    type: 'account.refused',
    connector: pending.connector,
    owner: ownerName(pending.owner),
    account: pending.account,
    error: error instanceof HubError ? error.code : 'internal',
  });
  return error;
}

function unknownState(): HubError {
  return new HubError(
    'invalid_request',
    'this sign-in is not known here, was finished already, or took too long: begin again',
    { details: { reason: 'unknown_state' } },
  );
}

function otherBrowser(): HubError {
  return new HubError('forbidden', 'this sign-in was begun by somebody else, and only they can finish it');
}
