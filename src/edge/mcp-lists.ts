import type { Agent } from '../agents/index.js';
import type { Surface, SurfaceScope } from '../catalog/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { prepareResult, type Handler, type PreparedResult } from '../mcp/server/index.js';
import type { Surfaces } from '../operations/index.js';
import { pageOf } from './list-pages.js';

/** Of lists; also where an upstream says nothing. */
export const LONGEST_TTL_MS = 60_000;

/** Where the items of a list stand in its result. */
const MEMBERS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'resourceTemplates',
} as const;

type ListName = keyof typeof MEMBERS;

/** Whole lists are serialised once for as long as what the agent sees stays the same. */
export function createLists(surfaces: Surfaces, scope: SurfaceScope, agentOf: (principal: string) => Agent) {
  const lists = new WeakMap<Surface, Map<ListName, PreparedResult>>();
  function answer(surface: Surface, kind: ListName, params: JsonObject) {
    const member = MEMBERS[kind];
    // Clients that want pages say how large. Others get everything at once, because many never ask for the second page.
    if ((params['cursor'] ?? params['limit']) !== undefined)
      return { ...pageOf(surface[kind], member, params), ...listHints(surface, kind) };
    const prepared = lists.get(surface) ?? new Map<ListName, PreparedResult>();
    lists.set(surface, prepared);
    const whole =
      prepared.get(kind) ?? prepareResult({ [member]: surface[kind] as never, ...listHints(surface, kind) });
    prepared.set(kind, whole);
    return whole;
  }
  return (kind: ListName): Handler =>
    ({ params, principal }) => {
      const surface = surfaces.surfaceFor(agentOf(principal), scope);
      const preparing = kind === 'tools' ? surface.prepareTools() : undefined;
      return preparing === undefined
        ? answer(surface, kind, params)
        : preparing.then(() => answer(surface, kind, params));
    };
}

/**
 * A list composed of several is good for as long as the part that changes first, and not longer than policies may be
 * expected to stay. It is somebody's own, because policies decide who sees what.
 */
function listHints({ entries }: Surface, kind: ListName): { ttlMs: number; cacheScope: 'private' } {
  const ttls = entries.map(({ snapshot }) => snapshot.ttls?.[kind] ?? LONGEST_TTL_MS);
  return { ttlMs: Math.min(LONGEST_TTL_MS, ...ttls), cacheScope: 'private' };
}
