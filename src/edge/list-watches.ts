import type { LiveCatalog, Surface, SurfaceScope } from '../catalog/index.js';
import type { ChangeNotification, SubscriptionFilter } from '../mcp/model/index.js';
import type { ListenRequest, Subscription } from '../mcp/server/index.js';
import type { Surfaces } from '../operations/index.js';
import { afterChanges } from './after-changes.js';
import { ListDigests, type ToldList } from './list-digests.js';
import type { Principals } from './principals.js';

export interface ListSource {
  readonly surfaces: Surfaces;
  readonly catalog: Pick<LiveCatalog, 'onChange'>;
  readonly principals: Pick<Principals, 'agentOf' | 'watch'>;
  readonly onPolicyChange: (listener: () => void) => () => void;
}

type Emit = (notification: ChangeNotification) => void;
type Digests = ReadonlyMap<ToldList, string>;

const KINDS = {
  tools: { asked: 'toolsListChanged', method: 'notifications/tools/list_changed' },
  prompts: { asked: 'promptsListChanged', method: 'notifications/prompts/list_changed' },
  resources: { asked: 'resourcesListChanged', method: 'notifications/resources/list_changed' },
} as const;
const ALL_KINDS = Object.keys(KINDS) as readonly ToldList[];
const NOTHING: Digests = new Map<ToldList, string>();
const UNASKED: Subscription = { honoured: {}, close() {} };
/** Where it never stays the same for long enough, clients are told that it changed. */
const MOST_LOOKS = 5;

/** Who listens to the lists at one endpoint. Clients of one principal see the same, which is looked at once for all. */
export class ListWatches {
  readonly #source: ListSource;
  readonly #scope: SurfaceScope;
  readonly #digests = new ListDigests();
  readonly #watches = new Map<string, ListWatch>();

  constructor(source: ListSource, scope: SurfaceScope) {
    this.#source = source;
    this.#scope = scope;
  }

  /** Tells of a list only when what this principal sees of it is different from what it saw before. */
  listen({ principal, filter, emit }: ListenRequest): Subscription {
    const kinds = ALL_KINDS.filter((kind) => filter[KINDS[kind].asked] === true);
    if (kinds.length === 0) return UNASKED;
    const name = `${kinds.join()} ${principal}`;
    let watch = this.#watches.get(name);
    if (watch === undefined) {
      watch = this.#open(principal, kinds, () => this.#watches.delete(name));
      this.#watches.set(name, watch);
    }
    return watch.add(emit);
  }

  #open(principal: string, kinds: readonly ToldList[], onUnused: () => void): ListWatch {
    const { surfaces, catalog, principals, onPolicyChange } = this.#source;
    const surface = (): Surface => surfaces.surfaceFor(principals.agentOf(principal), this.#scope);
    const watch = new ListWatch(kinds, async () => {
      for (let times = 0; times < MOST_LOOKS; times++) {
        const seen = surface();
        const found = new Map<ToldList, string>();
        for (const kind of kinds) found.set(kind, await this.#digests.of(seen, kind));
        // What changed while it was looked at is neither what was nor what is.
        if (seen === surface()) return found;
      }
      return NOTHING;
    });
    const stop = afterChanges(
      [
        (listener) => catalog.onChange(listener),
        onPolicyChange,
        (listener) => principals.watch(principal, listener),
      ],
      () => void watch.compare(),
    );
    watch.onUnused = () => {
      stop();
      onUnused();
    };
    return watch;
  }
}

/** The lists as one principal sees them, and its clients that want to hear when they change. */
class ListWatch {
  onUnused: (() => void) | undefined;
  readonly honoured: SubscriptionFilter;
  readonly #kinds: readonly ToldList[];
  readonly #look: () => Promise<Digests>;
  readonly #listeners = new Set<Listener>();
  #seen: Promise<Digests>;

  constructor(kinds: readonly ToldList[], look: () => Promise<Digests>) {
    this.#kinds = kinds;
    this.#look = look;
    this.honoured = Object.fromEntries(kinds.map((kind) => [KINDS[kind].asked, true]));
    this.#seen = look().catch(() => NOTHING);
  }

  add(emit: Emit): Subscription {
    const listener = new Listener(this, emit);
    this.#listeners.add(listener);
    return listener;
  }

  delete(listener: Listener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.onUnused?.();
  }

  async compare(): Promise<void> {
    const before = await this.#seen;
    this.#seen = this.#look().catch(() => before);
    const now = await this.#seen;
    for (const kind of this.#kinds) {
      if (now.get(kind) !== undefined && now.get(kind) === before.get(kind)) continue;
      for (const { emit } of this.#listeners) emit({ method: KINDS[kind].method });
    }
  }
}

class Listener implements Subscription {
  readonly emit: Emit;
  readonly #watch: ListWatch;

  constructor(watch: ListWatch, emit: Emit) {
    this.#watch = watch;
    this.emit = emit;
  }

  get honoured(): SubscriptionFilter {
    return this.#watch.honoured;
  }

  close(): void {
    this.#watch.delete(this);
  }
}
