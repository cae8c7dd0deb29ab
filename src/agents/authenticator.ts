import { hash } from 'node:crypto';
import type { Clock } from '../kernel/index.js';
import type { Agent, AgentReader } from './agent.js';
import type { TokenVerdict } from './token-verdict.js';
import type { TokenVerifier } from './token-verifier.js';

/** Who holds a key, or what is to be held of a token. Undefined: it is neither. */
export type Identity = Agent | TokenVerdict | undefined;

/** Finds out who holds a key. */
export interface Authenticator {
  /** Answers at once where the key is remembered. */
  authenticate(key: string): Agent | undefined | Promise<Agent | undefined>;
  /**
   * Takes access tokens too, where anybody's count. Answers at once where key or token is remembered. `digest`: that of
   * the token, for whoever has kept it.
   */
  identify(token: string, digest?: string): Identity | Promise<Identity>;
  /** Drops what is remembered; called whenever an agent or key changed. */
  forget(): void;
}

/** How long a verdict may outlive a change made by another replica. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_KEY_LENGTH = 512;

export function digestKey(key: string): string {
  return hash('sha256', key, 'hex');
}

export function createAuthenticator({
  agents,
  clock,
  tokens,
}: {
  agents: Pick<AgentReader, 'findByKeyDigest'>;
  clock: Clock;
  tokens?: TokenVerifier;
}): Authenticator {
  let known = new Map<string, { agent: Agent; until: number }>();

  async function lookUp(digest: string): Promise<Agent | undefined> {
    const seen = known;
    const found = await agents.findByKeyDigest(digest);
    if (found === undefined || !found.agent.enabled) return undefined;
    const { agent, key } = found;
    if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) return undefined;
    const untilExpiry = key.expiresAt === undefined ? REMEMBERED_MS : key.expiresAt - clock.now();
    // What was looked up before a change must not be remembered after it.
    if (seen === known)
      known.set(digest, { agent, until: clock.monotonic() + Math.min(REMEMBERED_MS, untilExpiry) });
    return agent;
  }

  function recall(digest: string): Agent | undefined {
    const remembered = known.get(digest);
    if (remembered !== undefined && remembered.until > clock.monotonic()) return remembered.agent;
    if (known.size >= MAX_REMEMBERED) known = new Map();
    return undefined;
  }

  async function find(token: string, digest: string, verifier: TokenVerifier): Promise<Identity> {
    const agent = token.length > MAX_KEY_LENGTH ? undefined : await lookUp(digest);
    return agent ?? verifier.verify(token, digest);
  }

  function authenticate(key: string, kept?: string): Agent | undefined | Promise<Agent | undefined> {
    if (key.length === 0 || key.length > MAX_KEY_LENGTH) return undefined;
    const digest = kept ?? digestKey(key);
    return recall(digest) ?? lookUp(digest);
  }

  return {
    authenticate: (key) => authenticate(key),
    identify(token, kept) {
      if (tokens === undefined || !tokens.isOn) return authenticate(token, kept);
      const digest = kept ?? digestKey(token);
      return recall(digest) ?? tokens.remembered(digest) ?? find(token, digest, tokens);
    },
    forget() {
      known = new Map();
      tokens?.forget();
    },
  };
}
