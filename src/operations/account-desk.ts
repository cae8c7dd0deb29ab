import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agents/index.js';
import type { Connector } from '../connectors/index.js';
import { credentialState, isSignInRequired, type CredentialStore } from '../credentials/index.js';
import { HubError, type AgentId, type Clock } from '../kernel/index.js';
import type { ConnectPages } from './connect-pages.js';
import { visitPage, type ReachableCaller } from './visit-page.js';

/** Whoever is behind a call. */
export interface AskedCaller extends ReachableCaller {
  readonly agent: Agent;
}

/** Gets people to sign in where a call cannot go on without. */
export interface AccountDesk {
  /** Returns when the account is there. Throws `error` where asking does not help or nobody can be asked. */
  ask(caller: AskedCaller, connector: Connector, error: unknown): Promise<void>;
}

export interface AccountDeskDependencies {
  readonly pages: Pick<ConnectPages, 'open'>;
  readonly credentialStore: Pick<CredentialStore, 'find'>;
  readonly clock: Clock;
  /** How long a call waits for somebody who agreed to sign in. */
  readonly waitMs?: number;
}

const WAIT_MS = 45_000;
const LOOK_MS = 400;

export function createAccountDesk(deps: AccountDeskDependencies): AccountDesk {
  return {
    async ask(caller, connector, error) {
      const { agent, options } = caller;
      // A shared account is not for one agent to choose.
      if (!isSignInRequired(error) || connector.credentialMode !== 'per_agent') throw error;
      const url = await deps.pages.open({ agent: agent.id, connector: connector.id });
      const { step = 'sign-in' } = error.details as { readonly step?: string };
      const agreed = await visitPage(caller, {
        key: `account-${step}`,
        url,
        message: `${connector.name} wants you to sign in. The page first asks who you are to this hub.`,
      });
      if (agreed === undefined) throw withPage(error, url);
      if (!agreed)
        throw new HubError('credential_required', `The sign-in to ${connector.name} was declined`, {
          details: { reason: 'sign_in_declined', connector: connector.id },
        });
      if (!(await waitForAccount(deps, connector, agent.id, options.signal)))
        throw new HubError(
          'credential_required',
          `The sign-in to ${connector.name} is not finished yet: finish it at ${url}, then call again`,
          { details: { reason: 'sign_in_unfinished', connector: connector.id } },
        );
    },
  };
}

/** For clients that cannot be asked: the model tells its user. */
function withPage(error: HubError, url: string): HubError {
  return new HubError(error.code, `${error.message}, or at ${url}`, {
    cause: error,
    ...(error.details && { details: error.details }),
  });
}

async function waitForAccount(
  { credentialStore, clock, waitMs = WAIT_MS }: AccountDeskDependencies,
  connector: Connector,
  agent: AgentId,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = clock.monotonic() + waitMs;
  for (;;) {
    const credential = await credentialStore.find(connector.id, { kind: 'agent', agent });
    const isSettled =
      credential !== undefined &&
      credentialState(credential, connector, clock.now()).state !== 'needs_sign_in' &&
      (credential.grant?.stepUp?.scopes ?? []).length === 0;
    if (isSettled) return true;
    if (clock.monotonic() >= deadline || signal?.aborted === true) return false;
    await sleep(LOOK_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
