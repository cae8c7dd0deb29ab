import { isOAuth, type Connector } from '../../connectors/index.js';
import { configuredHeaders, type AccessProvider } from '../../credentials/index.js';
import { HubError, type Clock, type Logger } from '../../kernel/index.js';
import type { MasterKey } from '../../storage/index.js';
import type { KeyPlace } from './key-place.js';
import { parseKeyRing } from './key-ring.js';

const LOOK_MS = 30_000;
/** How long stored credentials are used after the key that opens them was last seen. */
export const KEEP_MS = 300_000;

export interface KeyWatchOptions {
  readonly place: KeyPlace;
  /** The key that must be there. */
  readonly active: () => MasterKey;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Stored credentials are no longer used. */
  readonly onLocked: () => void;
}

/**
 * Looks whether the master key is still where it is kept. Somebody who takes it away wants what it protects to be of no
 * use: a few minutes later nothing that is stored under it is shown to an upstream any more, until it is back.
 */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #lastSeen: number;
  #locked = false;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
    this.#lastSeen = options.clock.monotonic();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  get isLocked(): boolean {
    return this.#locked;
  }

  look(now = this.#options.clock.monotonic()): void {
    const { place, logger, onLocked } = this.#options;
    if (this.#isThere()) {
      this.#lastSeen = now;
      if (this.#locked) logger.warn({ place: place.name }, 'the master key is back');
      this.#locked = false;
      return;
    }
    if (this.#locked) return;
    logger.error({ place: place.name }, 'the master key is not where it is kept');
    if (now - this.#lastSeen < KEEP_MS) return;
    this.#locked = true;
    logger.error({ place: place.name }, 'stored credentials are not used until the master key is back');
    onLocked();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #isThere(): boolean {
    const { place, active } = this.#options;
    try {
      const text = place.read();
      if (text === undefined) return false;
      const { active: first, retired = [] } = parseKeyRing(text, place.name);
      return [first, ...retired].some(({ key }) => key.equals(active().key));
    } catch {
      return false;
    }
  }
}

/** Refuses what is stored while the key is away. What an operator wrote beside the address is not stored. */
export function whileUnlocked(provider: AccessProvider, isLocked: () => boolean): AccessProvider {
  const requireUnlocked = (connector: Connector): void => {
    if (isLocked() && usesVault(connector))
      throw new HubError(
        'storage_unavailable',
        `connector ${connector.id}: its credential cannot be used, because the master key is away`,
      );
  };
  return {
    ...provider,
    accessFor(connector, agent) {
      requireUnlocked(connector);
      return provider.accessFor(connector, agent);
    },
    async listingAccesses(connector, agent) {
      requireUnlocked(connector);
      return provider.listingAccesses(connector, agent);
    },
    async renew(connector, access, shown, challenge) {
      requireUnlocked(connector);
      return provider.renew(connector, access, shown, challenge);
    },
  };
}

export function usesVault(connector: Connector): boolean {
  const { credentialMode, auth, source } = connector;
  if (credentialMode === 'none' || auth.type === 'none') return false;
  const isWritten = source !== 'stored' && credentialMode === 'shared' && !isOAuth(auth);
  return !isWritten || configuredHeaders(connector) === undefined;
}
