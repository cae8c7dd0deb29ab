import { setTimeout as sleep } from 'node:timers/promises';
import type { Connector } from '../connectors/index.js';
import { HubError, isHubError, type Clock, type Locks } from '../kernel/index.js';
import type { AccountEvent } from './account-event.js';
import type { AccountFlow } from './account-flow.js';
import { accountKey, sourceOf } from './account-key.js';
import { BackOff } from './back-off.js';
import {
  DEFAULT_ACCOUNT,
  type Credential,
  type CredentialOwner,
  type CredentialStore,
  type OAuthProblem,
} from './credential.js';
import { belongsTo, EXPIRED, renewalLead } from './credential-state.js';
import { SharedLock } from './shared-lock.js';
import { ownerName, signInRequired } from './sign-in-required.js';

export interface TokenRenewalOptions {
  readonly credentials: Pick<CredentialStore, 'find' | 'save'>;
  readonly flow: Pick<AccountFlow, 'refresh' | 'authorizeMachine' | 'revoke'>;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly onEvent: (event: AccountEvent) => void;
  /** The account was written; whoever keeps it has to look again. */
  readonly onSaved: (credential: Credential) => void;
  readonly random?: () => number;
}

/** Whose token of which account is to be renewed, and why. */
export interface RenewalRequest {
  readonly connector: Connector;
  readonly owner: CredentialOwner;
  readonly account: string | undefined;
  /** The token an upstream did not accept; undefined: it is about to expire. */
  readonly refused?: string | undefined;
  /** What the upstream answered then. */
  readonly challenge?: string | undefined;
}

// A living process renews it; after a dead one others must get on while servers still forgive a second use of its token.
const LEASE_MS = 10_000;
const WAIT_MS = 30_000;
const EXCHANGE_MS = 25_000;
const LAST_ANSWER_MS = 5_000;
const SAVE_ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Renews tokens, one exchange at a time for each account among all processes: lock, read again, exchange, compare and
 * set. A rotated refresh token that gets lost or is used twice locks its owner out, so what was obtained is never
 * thrown away, and what another process obtained is never written over.
 */
export class TokenRenewal {
  readonly #options: TokenRenewalOptions;
  readonly #running = new Map<
    string,
    { readonly connector: Connector; readonly renewed: Promise<Credential> }
  >();
  readonly #backOff: BackOff;
  /** Obtained but not yet written down, by account. */
  readonly #unsaved = new Map<string, Credential>();
  readonly #saving = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: TokenRenewalOptions) {
    this.#options = options;
    this.#backOff = new BackOff({ clock: options.clock, ...(options.random && { random: options.random }) });
  }

  /** What is in force: of two truths the one that could not be written yet. */
  async find({ connector, owner, account }: RenewalRequest): Promise<Credential | undefined> {
    let stored: Credential | undefined;
    try {
      stored = await this.#options.credentials.find(connector.id, owner, account);
    } catch (error) {
      const unsaved = this.#unsaved.get(accountKey(connector, owner, account));
      if (unsaved === undefined) throw error;
      return unsaved;
    }
    const unsaved = this.#unsaved.get(accountKey(connector, owner, account ?? stored?.account));
    return unsaved !== undefined && stored !== undefined && unsaved.version > stored.version
      ? unsaved
      : (stored ?? (connector.auth.type === 'client_credentials' ? unsaved : undefined));
  }

  /** Joins a renewal of the same account for the same connector that is under way. Throws what a caller can be told. */
  renew(request: RenewalRequest): Promise<Credential> {
    const { connector, owner, account } = request;
    const key = accountKey(connector, owner, account);
    const known = this.#running.get(key);
    if (known?.connector === connector) return known.renewed;
    const renewed = this.#renew(key, request).finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    const running = { connector, renewed };
    this.#running.set(key, running);
    return renewed;
  }

  /** The upstream refused even what was just renewed: only a person can help, and nobody renews it again soon. */
  async distrust(connector: Connector, credential: Credential): Promise<void> {
    this.#backOff.failed(accountKey(connector, credential.owner, credential.account), true);
    if (connector.auth.type !== 'client_credentials')
      await this.#note(connector, credential, 'needs_reauth', REFUSED);
  }

  /** An account was connected or removed: whatever was noted of the one before does not count. */
  forget(connector: Connector['id'], owner: CredentialOwner, account: string): void {
    const key = accountKey({ id: connector }, owner, account);
    this.#backOff.forget(key);
    this.#unsaved.delete(key);
  }

  /** Waits for what is being obtained, but not long: a server that hangs must not keep the hub from ending. */
  async close(): Promise<void> {
    this.#closing.abort();
    const obtained = Promise.allSettled([...this.#running.values()].map(({ renewed }) => renewed));
    await Promise.race([obtained, sleep(LAST_ANSWER_MS, undefined, { ref: false })]);
    await Promise.allSettled(this.#saving);
  }

  async #renew(key: string, request: RenewalRequest): Promise<Credential> {
    const { connector } = request;
    const held = await this.#options.locks.acquire(`credential ${key}`, {
      leaseMs: LEASE_MS,
      waitMs: WAIT_MS,
      signal: this.#closing.signal,
    });
    // Whoever held it may have finished at the last moment.
    const current = await this.find(request).catch(async (error: unknown) => {
      await held?.release();
      throw error;
    });
    const lock = new SharedLock(held);
    try {
      if (current !== undefined && this.#isFresh(current, request)) return current;
      if (held === undefined || held.lost.aborted)
        throw new HubError(
          'oauth_unavailable',
          `connector ${connector.id}: its token is being renewed elsewhere and did not come in time`,
          { retryAfterMs: 1_000 },
        );
      await this.#requireRenewable(key, request, current);
      return await this.#exchange(key, request, current, lock);
    } finally {
      await lock.release();
    }
  }

  /** Whether somebody else did it meanwhile. */
  #isFresh({ values, grant }: Credential, { connector, refused }: RenewalRequest): boolean {
    const token = values['access_token'];
    if (token === undefined || grant === undefined || !belongsTo(grant, connector)) return false;
    if (refused !== undefined && token.reveal() === refused) return false;
    const ahead = refused === undefined ? renewalLead(grant) : 0;
    return grant.expiresAt === undefined || this.#options.clock.now() < grant.expiresAt - ahead;
  }

  async #requireRenewable(
    key: string,
    { connector, owner, refused }: RenewalRequest,
    current: Credential | undefined,
  ): Promise<void> {
    const retryAfterMs = this.#backOff.remaining(key);
    if (connector.auth.type !== 'client_credentials') {
      if (current === undefined) throw signInRequired(connector, owner);
      if (current.grant?.problem?.state === 'needs_reauth')
        throw signInRequired(connector, owner, current.grant.problem.reason);
      if (current.grant !== undefined && !belongsTo(current.grant, connector))
        throw signInRequired(connector, owner, 'the account was connected for another server');
      if (current.values['refresh_token'] === undefined) {
        if (refused !== undefined) await this.#note(connector, current, 'needs_reauth', REFUSED);
        throw signInRequired(connector, owner, refused === undefined ? EXPIRED : REFUSED);
      }
    }
    if (retryAfterMs > 0)
      throw new HubError(
        'oauth_unavailable',
        `connector ${connector.id}: its token could not be renewed a moment ago; it is tried again later`,
        { retryAfterMs },
      );
  }

  async #exchange(
    key: string,
    request: RenewalRequest,
    current: Credential | undefined,
    lock: SharedLock,
  ): Promise<Credential> {
    const { connector, owner, challenge } = request;
    const { flow, clock } = this.#options;
    // Not ended when the lock is lost: the server may have rotated the token already, and then the answer is all there is.
    const signal = AbortSignal.timeout(EXCHANGE_MS);
    let tokens;
    try {
      tokens =
        connector.auth.type === 'client_credentials' || current === undefined
          ? await flow.authorizeMachine(connector, { signal, ...(challenge !== undefined && { challenge }) })
          : await flow.refresh(connector, current, signal);
    } catch (error) {
      return this.#failed(key, request, current, error);
    }
    this.#backOff.forget(key);
    const next: Credential = {
      connector: connector.id,
      owner,
      account: current?.account ?? DEFAULT_ACCOUNT,
      isDefault: current?.isDefault ?? true,
      values: { ...current?.values, ...tokens.values },
      grant: { ...tokens.grant, ...(current?.grant?.stepUp && { stepUp: current.grant.stepUp }) },
      version: (current?.version ?? 0) + 1,
      updatedAt: clock.now(),
    };
    return this.#keep(connector, next, current, lock);
  }

  async #failed(
    key: string,
    request: RenewalRequest,
    current: Credential | undefined,
    error: unknown,
  ): Promise<Credential> {
    const { connector, owner } = request;
    const isFinal = isHubError(error, 'credential_required') && current !== undefined;
    // Even where it cannot be written down: nobody asks again soon.
    const retryAfterMs = this.#backOff.failed(key, isFinal);
    if (current !== undefined) {
      const reason = isFinal ? REVOKED : 'the authorization server gave no new token';
      const winner = await this.#note(connector, current, isFinal ? 'needs_reauth' : 'failed', reason);
      if (winner !== undefined && this.#isFresh(winner, request)) return winner;
    }
    if (isFinal) throw signInRequired(connector, owner, REVOKED, { cause: error });
    if (isHubError(error, 'oauth_refused') || isHubError(error, 'credential_required')) throw error;
    throw new HubError('oauth_unavailable', `connector ${connector.id}: its token could not be renewed`, {
      cause: error,
      retryAfterMs,
    });
  }

  /** Writes a problem down unless it stands there already. Answers what is stored where somebody else was faster. */
  async #note(
    connector: Connector,
    credential: Credential,
    state: OAuthProblem['state'],
    reason: string,
  ): Promise<Credential | undefined> {
    const { grant, owner, account, version } = credential;
    const { credentials, clock, onEvent, onSaved } = this.#options;
    if (grant === undefined || grant.problem?.state === state) return undefined;
    const noted: Credential = {
      ...credential,
      grant: { ...grant, problem: { state, reason, since: clock.now() } },
      version: version + 1,
      updatedAt: clock.now(),
    };
    try {
      await credentials.save(noted, version);
    } catch (error) {
      return isHubError(error, 'precondition_failed')
        ? credentials.find(connector.id, owner, account)
        : undefined;
    }
    onSaved(noted);
    const type = state === 'failed' ? 'account.failed' : 'account.needs_sign_in';
    onEvent({ type, connector: connector.id, owner: ownerName(owner), account, reason });
    return undefined;
  }

  async #keep(
    connector: Connector,
    obtained: Credential,
    previous: Credential | undefined,
    lock: SharedLock,
  ): Promise<Credential> {
    try {
      return await this.#store(connector, obtained, previous);
    } catch (error) {
      if (isHubError(error, 'credential_required')) throw error;
      const key = accountKey(connector, obtained.owner, obtained.account);
      this.#unsaved.set(key, obtained);
      const saving = this.#saveLater(key, connector, obtained, previous, lock.share());
      this.#saving.add(saving);
      void saving.finally(() => this.#saving.delete(saving));
      return obtained;
    }
  }

  /** Compare and set. What was obtained with the token that is stored goes in its place; otherwise the stored one stays. */
  async #store(
    connector: Connector,
    obtained: Credential,
    previous: Credential | undefined,
  ): Promise<Credential> {
    const { credentials, flow, onEvent, onSaved } = this.#options;
    const { owner, account } = obtained;
    let expected = previous?.version ?? 0;
    let next = obtained;
    for (let attempt = 0; ; attempt++) {
      try {
        await credentials.save(next, expected);
        onSaved(next);
        onEvent({ type: 'account.renewed', connector: connector.id, owner: ownerName(owner), account });
        return next;
      } catch (error) {
        if (!isHubError(error, 'precondition_failed') || attempt >= SAVE_ATTEMPTS) throw error;
      }
      const stored = await credentials.find(connector.id, owner, account);
      if (stored === undefined && previous !== undefined) {
        // Disconnected while we asked: nothing may come back of it.
        await flow.revoke(connector, next, AbortSignal.timeout(5_000)).catch(() => false);
        throw signInRequired(connector, owner);
      }
      if (stored !== undefined && sourceOf(stored) !== sourceOf(previous)) return stored;
      expected = stored?.version ?? 0;
      next = { ...next, isDefault: stored?.isDefault ?? true, version: expected + 1 };
    }
  }

  /** Holds the lock meanwhile: others would use the refresh token of before and have the whole family revoked. */
  async #saveLater(
    key: string,
    connector: Connector,
    obtained: Credential,
    previous: Credential | undefined,
    release: () => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#closing;
    try {
      for (let attempt = 0; this.#unsaved.get(key) === obtained; attempt++) {
        const isLast = signal.aborted;
        const pause = Math.min(250 * 2 ** attempt, LONGEST_PAUSE_MS);
        if (!isLast) await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
        try {
          await this.#store(connector, obtained, previous);
          if (this.#unsaved.get(key) === obtained) this.#unsaved.delete(key);
          return;
        } catch (error) {
          if (isHubError(error, 'credential_required')) this.#unsaved.delete(key);
          if (isLast) return;
        }
      }
    } finally {
      await release();
    }
  }
}

const REFUSED = 'the upstream does not accept the token any more';
const REVOKED = 'the authorization server does not renew the sign-in any more';
