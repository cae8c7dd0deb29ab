import type { LiveCatalog, Surface, SurfaceScope } from '../catalog/index.js';
import type { ListenRequest, Subscription } from '../mcp/server/index.js';
import type { Surfaces } from '../operations/index.js';
import { afterChanges } from './after-changes.js';
import type { ListDigests, ToldList } from './list-digests.js';
import type { Principals } from './principals.js';

export interface ListSource {
  readonly surfaces: Surfaces;
  readonly digests: ListDigests;
  readonly catalog: Pick<LiveCatalog, 'onChange'>;
  readonly principals: Pick<Principals, 'agentOf' | 'watch'>;
  readonly onPolicyChange: (listener: () => void) => () => void;
}

/** Tells of a list only when what this agent sees of it is different from what it saw before. */
export function tellOfLists(
  { surfaces, digests, catalog, principals, onPolicyChange }: ListSource,
  scope: SurfaceScope,
  request: ListenRequest,
): Subscription {
  const { filter, principal } = request;
  const kinds = [
    ['tools', filter.toolsListChanged, 'notifications/tools/list_changed'],
    ['prompts', filter.promptsListChanged, 'notifications/prompts/list_changed'],
    ['resources', filter.resourcesListChanged, 'notifications/resources/list_changed'],
  ] as const;
  const wanted = kinds.filter(([, asked]) => asked === true);
  const current = (): Surface => surfaces.surfaceFor(principals.agentOf(principal), scope);
  const look = async (): Promise<ReadonlyMap<ToldList, string>> => {
    const surface = current();
    const found = new Map<ToldList, string>();
    for (const [kind] of wanted) found.set(kind, await digests.of(surface, kind));
    // What changed while it was looked at is neither what was nor what is.
    return surface === current() ? found : new Map<ToldList, string>();
  };
  let seen = look().catch(() => new Map<ToldList, string>());
  let isClosed = false;
  const compare = async (): Promise<void> => {
    const before = await seen;
    seen = look().catch(() => before);
    const now = await seen;
    for (const [kind, , method] of wanted)
      if (!isClosed && (now.get(kind) === undefined || now.get(kind) !== before.get(kind)))
        request.emit({ method });
  };
  const stop = afterChanges(
    [
      (listener) => catalog.onChange(listener),
      onPolicyChange,
      (listener) => principals.watch(principal, listener),
    ],
    () => void compare(),
  );
  return {
    honoured: Object.fromEntries(
      Object.entries(filter).filter(([key, value]) => value === true && key.endsWith('ListChanged')),
    ),
    close() {
      isClosed = true;
      stop();
    },
  };
}
