import type { Connector } from '../connectors/index.js';
import { isHubError, type ConnectorId, type Feed } from '../kernel/index.js';
import { credentialState, renewalLead } from './credential-state.js';
import type { Access, Credential, CredentialOwner, CredentialStore } from './credential.js';
import { CredentialFeed, type CredentialChange } from './credential-feed.js';
import { accessId, KeptAccess } from './kept-access.js';
import { isSignInRequired, ownerName, signInRequired } from './sign-in-required.js';
import { decideStepUp, stepUpRefused } from './step-up.js';
import { TokenRenewal, type TokenRenewalOptions } from './token-renewal.js';

export interface TokenKeeperOptions extends Omit<TokenRenewalOptions, 'onSaved' | 'credentials'> {
  readonly credentials: Pick<CredentialStore, 'find' | 'save'>;
  readonly feed?: Feed;
  /** Somebody else is behind an account now: conversations begun for the one before must end. */
  readonly onReplaced?: (connector: ConnectorId) => void;
}

interface Kept {
  readonly access: KeptAccess;
  readonly credential: Credential;
  /** Until then it is used without looking, by a clock that only grows. */
  readonly recheckAt: number;
  /** And until then, by the date: what somebody does to the clock of the machine counts at once. */
  readonly renewAt: number;
}

/** How long nobody looks into the store. Changes by other processes are told; this is for those that were not heard. */
const RECHECK_MS = 30_000;
/** While a renewal runs behind a token that is still good. */
const RENEWING_MS = 1_000;
/** So that not all processes renew at the same moment: a part of the lead passes first. */
const JITTER = 0.25;

/** Access by tokens that end and are renewed. A call on a valid one costs a look-up. */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #renewal: TokenRenewal;
  readonly #feed: CredentialFeed;
  readonly #kept = new Map<
    ConnectorId,
    { readonly connector: Connector; readonly byOwner: Map<string, Kept> }
  >();
  /** One for each identity ever used, because open conversations hold on to them. */
  readonly #accesses = new Map<string, KeptAccess>();
  readonly #loading = new Map<string, { readonly connector: Connector; readonly access: Promise<Access> }>();
  #changes = 0;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#feed = new CredentialFeed(options.feed, (change) => this.#heard(change));
    this.#renewal = new TokenRenewal({ ...options, onSaved: (credential) => this.#saved(credential) });
  }

  /** Throws `credential_required` where a person has to sign in. */
  accessFor(connector: Connector, owner: CredentialOwner): Access | Promise<Access> {
    const kept = this.#find(connector, owner);
    const { clock } = this.#options;
    if (kept !== undefined && clock.monotonic() < kept.recheckAt && clock.now() < kept.renewAt)
      return kept.access;
    const key = JSON.stringify([connector.id, owner]);
    const running = this.#loading.get(key);
    // What is found for a connector as it was before may be for another server.
    if (running?.connector === connector) return running.access;
    const access = this.#load(connector, owner).finally(() => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    });
    const loading = { connector, access };
    this.#loading.set(key, loading);
    return access;
  }

  /** For listing: what there is, renewed only if it is refused. */
  async findAccess(connector: Connector, owner: CredentialOwner): Promise<Access | undefined> {
    try {
      if (connector.auth.type === 'client_credentials')
        return owner.kind === 'shared' ? await this.accessFor(connector, owner) : undefined;
      const credential = await this.#renewal.find({ connector, owner, account: undefined });
      if (credential?.values['access_token'] === undefined) return undefined;
      const { state } = credentialState(credential, connector, this.#options.clock.now());
      return state === 'needs_sign_in' ? undefined : this.#access(credential);
    } catch (error) {
      if (isSignInRequired(error)) return undefined;
      throw error;
    }
  }

  /**
   * After the upstream refused what `shown` has. True when there is something else to show now. Throws where a person has
   * to sign in, and where it cannot be renewed at the moment.
   */
  async renew(
    connector: Connector,
    access: Access,
    shown: Access['headers'],
    challenge: string | undefined,
  ): Promise<boolean> {
    if (!(access instanceof KeptAccess)) return false;
    if (access.headers !== shown) return true;
    const { owner, account } = access.holder;
    const refused = shown['authorization']?.replace(/^Bearer /, '') ?? '';
    const renewed = await this.#renewal.renew({ connector, owner, account, refused, challenge });
    this.#keep(connector, renewed, this.#changes);
    return access.headers !== shown;
  }

  /** The upstream refused even the renewed token. */
  async distrust(connector: Connector, access: Access): Promise<Error | undefined> {
    const credential = await this.#credentialOf(connector, access);
    if (credential === undefined) return undefined;
    await this.#renewal.distrust(connector, credential);
    this.#forget(connector.id);
    return connector.auth.type === 'oauth'
      ? signInRequired(connector, credential.owner, 'the upstream does not accept the token')
      : undefined;
  }

  /** The upstream wants more than was granted. Answers the failure to report; undefined where nobody can be asked. */
  async widen(connector: Connector, access: Access, challenge: string): Promise<Error | undefined> {
    const { findBearerChallenge } = await import('../mcp/auth/index.js');
    const { error: fault, scopes = [] } = findBearerChallenge(challenge) ?? {};
    if (fault !== 'insufficient_scope') return undefined;
    const credential = await this.#credentialOf(connector, access);
    if (credential?.grant === undefined || connector.auth.type !== 'oauth') return undefined;
    const { clock, credentials } = this.#options;
    const decision = decideStepUp(credential.grant, scopes, clock.now());
    if (decision.kind === 'useless') return undefined;
    if (decision.kind === 'enough') return stepUpRefused(connector.id);
    if (decision.stepUp !== credential.grant.stepUp) {
      const { grant, version } = credential;
      const noted = { ...credential, grant: { ...grant, stepUp: decision.stepUp }, version: version + 1 };
      try {
        await credentials.save(noted, version);
        this.#saved(noted);
      } catch (error) {
        if (!isHubError(error, 'precondition_failed')) throw error;
      }
    }
    return signInRequired(connector, credential.owner, 'the upstream wants more rights than were granted', {
      step: `step-up-${decision.stepUp.times.length}`,
    });
  }

  /** An account was connected, removed or chosen: nothing kept of it counts any more, here and in other processes. */
  changed(connector: ConnectorId, owner: CredentialOwner, account?: string): void {
    if (account !== undefined) this.#renewal.forget(connector, owner, account);
    this.#replaced(connector, owner);
    this.#feed.tell({ kind: 'replaced', connector, owner });
  }

  async close(): Promise<void> {
    this.#feed.close();
    await this.#renewal.close();
  }

  #find(connector: Connector, owner: CredentialOwner): Kept | undefined {
    const kept = this.#kept.get(connector.id);
    return kept?.connector === connector ? kept.byOwner.get(keyOf(owner)) : undefined;
  }

  async #load(connector: Connector, owner: CredentialOwner): Promise<Access> {
    const changes = this.#changes;
    const { clock } = this.#options;
    const credential = await this.#renewal.find({ connector, owner, account: undefined });
    const isMachine = connector.auth.type === 'client_credentials';
    if (credential?.values['access_token'] === undefined && !isMachine)
      throw signInRequired(connector, owner);
    const now = clock.now();
    const judged = credential && credentialState(credential, connector, now);
    if (judged?.state === 'needs_sign_in' && !isMachine)
      throw signInRequired(connector, owner, judged.reason);
    const request = { connector, owner, account: credential?.account };
    const usable = credential?.grant !== undefined && judged?.state !== 'needs_sign_in';
    const { expiresAt } = credential?.grant ?? {};
    if (credential === undefined || !usable || (expiresAt !== undefined && now >= expiresAt))
      return this.#keep(connector, await this.#renewal.renew(request), changes);
    if (this.#leadBegan(credential, now)) {
      // Good for a while: nobody waits, and a failure is noted by the renewal itself.
      this.#renewal.renew(request).then(
        (renewed) => this.#keep(connector, renewed, changes),
        () => {},
      );
      return this.#keep(connector, credential, changes, { recheckMs: RENEWING_MS });
    }
    return this.#keep(connector, credential, changes);
  }

  #leadBegan({ grant }: Credential, now: number): boolean {
    return grant?.expiresAt !== undefined && now >= grant.expiresAt - renewalLead(grant);
  }

  #keep(
    connector: Connector,
    credential: Credential,
    changes: number,
    isRenewing?: { readonly recheckMs: number },
  ): KeptAccess {
    const access = this.#access(credential);
    // What changed while it was read must be read again.
    if (changes !== this.#changes) return access;
    const random = this.#options.random ?? Math.random;
    const { grant } = credential;
    const renewAt =
      grant?.expiresAt === undefined || isRenewing !== undefined
        ? Number.POSITIVE_INFINITY
        : grant.expiresAt - renewalLead(grant) * (1 - JITTER * random());
    const recheckAt = this.#options.clock.monotonic() + (isRenewing?.recheckMs ?? RECHECK_MS);
    let kept = this.#kept.get(connector.id);
    if (kept?.connector !== connector)
      this.#kept.set(connector.id, (kept = { connector, byOwner: new Map() }));
    kept.byOwner.set(keyOf(credential.owner), { access, credential, recheckAt, renewAt });
    return access;
  }

  #access({ connector, owner, account, grant, values }: Credential): KeptAccess {
    const id = accessId(owner, account, grant);
    const key = `${connector}\n${id}`;
    const known = this.#accesses.get(key) ?? new KeptAccess(id, { owner, account });
    this.#accesses.set(key, known);
    known.show(values['access_token']);
    return known;
  }

  async #credentialOf(connector: Connector, access: Access): Promise<Credential | undefined> {
    if (!(access instanceof KeptAccess)) return undefined;
    return this.#renewal.find({ connector, ...access.holder });
  }

  #saved(credential: Credential): void {
    const { connector, owner } = credential;
    this.#forget(connector, owner);
    // Conversations that are open show it from now on.
    if (credential.grant?.problem === undefined) this.#access(credential);
    this.#feed.tell({ kind: 'renewed', connector, owner });
  }

  #heard(change: CredentialChange | undefined): void {
    if (change === undefined) {
      this.#changes++;
      this.#kept.clear();
    } else if (change.kind === 'renewed') this.#forget(change.connector, change.owner);
    else this.#replaced(change.connector, change.owner);
  }

  #replaced(connector: ConnectorId, owner: CredentialOwner): void {
    this.#forget(connector, owner);
    for (const [key, access] of this.#accesses)
      if (key.startsWith(`${connector}\n`) && access.owner === ownerName(owner)) access.show(undefined);
    this.#options.onReplaced?.(connector);
  }

  #forget(connector: ConnectorId, owner?: CredentialOwner): void {
    this.#changes++;
    if (owner === undefined) this.#kept.delete(connector);
    else this.#kept.get(connector)?.byOwner.delete(keyOf(owner));
  }
}

/** Agents' ids are never empty. */
function keyOf(owner: CredentialOwner): string {
  return owner.kind === 'shared' ? '' : owner.agent;
}
