import type { Agent } from '../agents/index.js';
import type { ResourceOwner, SurfaceScope } from '../catalog/index.js';
import type { AccessProvider } from '../credentials/index.js';
import { HubError, isHubError } from '../kernel/index.js';
import type { Caller, Upstreams } from '../upstreams/index.js';
import type { Surfaces } from './surfaces.js';

export interface WatchRequest {
  /** As it is when it is asked for: what it may see may change. */
  readonly agentOf: () => Agent;
  readonly scope: SurfaceScope;
  /** In which its client's calls are made, where those of several have one each. */
  readonly conversation: Pick<Caller, 'session' | 'asks'>;
  /** As the agent knows it. */
  readonly uri: string;
  /** Told the address that changed, as the agent knows it. */
  readonly onUpdated: (uri: string) => void;
}

export interface WatchDependencies {
  readonly surfaces: Surfaces;
  readonly credentials: AccessProvider;
  readonly upstreams: Upstreams;
}

/** Ends with `close`. Undefined where the upstream does not tell of this resource. */
export type WatchResource = (request: WatchRequest) => Promise<{ close(): void } | undefined>;

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Whoever wants to watch does not wait longer for an upstream that cannot be reached; it is tried again behind its back. */
const PATIENCE_MS = 5_000;

export function createWatchResource(deps: WatchDependencies): WatchResource {
  return async function watchResource(request) {
    const owner = deps.surfaces.surfaceFor(request.agentOf(), request.scope).findResourceOwner(request.uri);
    if (owner?.snapshot.upstream.capabilities.resources?.subscribe !== true) return undefined;
    const watch = new ResourceWatch(deps, request);
    try {
      await watch.begin(owner);
    } catch (error) {
      watch.close();
      if (isRefusal(error)) return undefined;
      throw error;
    }
    return watch;
  };
}

/** The upstream was asked and does not want to, now and later. */
function isRefusal(error: unknown): boolean {
  return isHubError(error, 'not_supported') || isHubError(error, 'upstream_rejected');
}

/** One resource that somebody watches, over interruptions, changes of its connector and of what the agent may see. */
class ResourceWatch {
  readonly #deps: WatchDependencies;
  readonly #request: WatchRequest;
  #leave: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(deps: WatchDependencies, request: WatchRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  /** Resolves when it is watched, or will be as soon as the upstream can be reached. Rejects when it never will. */
  async begin(owner: ResourceOwner): Promise<void> {
    const watching = this.#watch(owner);
    const patience = new Promise<void>((resolve) => {
      this.#timer = setTimeout(resolve, PATIENCE_MS);
    });
    watching.catch(() => {});
    try {
      await Promise.race([watching, patience]);
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#again();
      return;
    } finally {
      if (this.#failures === 0) clearTimeout(this.#timer);
    }
    // What takes longer than anybody waits for is still heard of.
    watching.catch(() => this.#again());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#leave?.();
    this.#leave = undefined;
  }

  async #watch({ connector, uri }: ResourceOwner): Promise<void> {
    const { credentials, upstreams } = this.#deps;
    const { agentOf, conversation } = this.#request;
    const { id } = agentOf();
    const access = await credentials.accessFor(connector, id);
    const leave = await upstreams.watch(connector, access, { ...conversation, principal: id }, uri, {
      updated: (changed) => this.#tell(changed, uri),
      lost: () => {
        this.#leave = undefined;
        this.#again();
      },
    });
    if (this.#closed) leave();
    else this.#leave = leave;
  }

  /** Nobody hears of what it may not see any more, or of what is another connector's by now. */
  #tell(changed: string, watched: string): void {
    if (this.#closed || this.#findOwner()?.uri !== watched) return;
    const { uri, onUpdated } = this.#request;
    const below = uri + changed.slice(watched.length);
    // What lies below may be for others to see, who watch it in the same conversation.
    onUpdated(this.#findOwner(below)?.uri === changed ? below : uri);
  }

  #findOwner(uri = this.#request.uri): ResourceOwner | undefined {
    const { agentOf, scope } = this.#request;
    return this.#deps.surfaces.surfaceFor(agentOf(), scope).findResourceOwner(uri);
  }

  #again(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => void this.#retry(), pause * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }

  async #retry(): Promise<void> {
    try {
      const owner = this.#findOwner();
      if (owner === undefined) throw new HubError('unknown_resource', 'Resource not found');
      await this.#watch(owner);
      this.#failures = 0;
      // Nobody knows what happened meanwhile.
      this.#tell(owner.uri, owner.uri);
    } catch {
      this.#again();
    }
  }
}
