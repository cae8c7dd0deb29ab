import type { Connector } from '../connectors/index.js';
import type { MessageSeal } from '../coordination/index.js';
import type { Logger, SharedStore } from '../kernel/index.js';
import { ifReachable } from './if-reachable.js';
import type { Replicas } from './replicas.js';
import { sharedNameOf } from './shared-name-of.js';

const KEPT_MS = 86_400_000;

/** What the latest sync that says something of a connector's health said, wherever in the hub it was made. */
export interface SyncVerdict {
  /** Why it does not serve; undefined where it does. */
  readonly why: string | undefined;
}

export interface SyncVerdictOptions {
  readonly shared: { readonly store: SharedStore; readonly seal: MessageSeal };
  readonly replicas: Replicas;
  readonly logger: Logger;
}

/** Verdicts of syncs, for all processes of the hub. Whoever hears of one looks here. */
export class SyncVerdicts {
  readonly #store: SharedStore;
  readonly #seal: MessageSeal;
  readonly #replicas: Replicas;
  readonly #logger: Logger;

  constructor({ shared: { store, seal }, replicas, logger }: SyncVerdictOptions) {
    this.#store = store;
    this.#seal = seal;
    this.#replicas = replicas;
    this.#logger = logger;
  }

  /** Of those who cannot be told now, each finds out at its own next look. */
  tell(connector: Connector, why: string | undefined): void {
    this.#tell(connector, why).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : '';
      this.#logger.warn({ connector: connector.id, error: message }, 'others could not be told of a sync');
    });
  }

  async #tell(connector: Connector, why: string | undefined): Promise<void> {
    const key = keyOf(connector);
    await ifReachable(() => this.#store.set(key, this.#seal.seal(why ?? '', key), KEPT_MS));
    this.#replicas.announce('health', connector.id);
  }

  /** Undefined: nobody knows. */
  async find(connector: Connector): Promise<SyncVerdict | undefined> {
    const key = keyOf(connector);
    const sealed = await ifReachable(() => this.#store.get(key));
    if (sealed === undefined) return undefined;
    const why = this.#seal.open(sealed, key);
    return { why: why === '' ? undefined : why };
  }

  /** What is shared may have been lost. */
  async restore(connector: Connector, why: string): Promise<void> {
    const key = keyOf(connector);
    const added = await ifReachable(() => this.#store.add(key, this.#seal.seal(why, key), KEPT_MS));
    if (added === true) this.#replicas.announce('health', connector.id);
  }
}

function keyOf(connector: Connector): string {
  return `verdict:${sharedNameOf(connector)}`;
}
