import type { Agent } from '../agents/index.js';
import {
  buildSurface,
  type CatalogEntry,
  type LiveCatalog,
  type Permits,
  type Surface,
  type SurfaceScope,
} from '../catalog/index.js';
import type { PolicyEngine, PolicyTarget } from '../governance/index.js';
import { toTarget } from './call-policy.js';

export interface Surfaces {
  /** What the agent sees there now. The same object as long as nothing of it changes. */
  surfaceFor(agent: Agent, scope: SurfaceScope): Surface;
}

interface Remembered {
  readonly surface: Surface;
  readonly agent: Agent;
  readonly catalogVersion: number;
  readonly policyVersion: number;
  /** Of a toolset, which may be changed. */
  readonly tools: readonly string[] | undefined;
}

const MAX_REMEMBERED = 5_000;

export function createSurfaces({
  catalog,
  policy,
}: {
  catalog: LiveCatalog;
  policy: PolicyEngine;
}): Surfaces {
  const remembered = new Map<string, Remembered>();
  let versions = { catalog: 0, policy: 0 };
  let latest: (Remembered & { readonly scope: SurfaceScope }) | undefined;
  const isCurrent = (known: Remembered, agent: Agent, scope: SurfaceScope): boolean =>
    known.agent === agent &&
    known.catalogVersion === catalog.version &&
    known.policyVersion === policy.version &&
    known.tools === toolsOf(scope);
  return {
    surfaceFor(agent, scope) {
      // Whoever calls, calls again.
      if (latest?.scope === scope && isCurrent(latest, agent, scope)) return latest.surface;
      // Nobody sees any of it again, and each holds what upstreams offered then.
      if (versions.catalog !== catalog.version || versions.policy !== policy.version) {
        remembered.clear();
        versions = { catalog: catalog.version, policy: policy.version };
      }
      const key = `${agent.id}\n${agent.scopes?.join(' ') ?? '-'}\n${keyOf(scope)}`;
      let known = remembered.get(key);
      if (known === undefined || !isCurrent(known, agent, scope)) {
        const surface = buildSurface(catalog.entries(), scope, permitsFor(policy, agent));
        known = {
          surface,
          agent,
          catalogVersion: catalog.version,
          policyVersion: policy.version,
          tools: toolsOf(scope),
        };
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(key, known);
      }
      latest = { ...known, scope };
      return known.surface;
    },
  };
}

/** Seeing is decided by the same policies as using. */
function permitsFor(policy: PolicyEngine, agent: Agent): Permits {
  const permitted = ({ connector }: CatalogEntry, target: PolicyTarget): boolean =>
    policy.decide({ agent: agent, action: 'list', connector, target }).kind !== 'deny';
  return {
    tool: (entry, tool) => permitted(entry, toTarget(entry, tool)),
    prompt: (entry, prompt) => permitted(entry, { kind: 'prompt', name: prompt.name }),
    resource: (entry, uri) => permitted(entry, { kind: 'resource', uri }),
  };
}

function keyOf(scope: SurfaceScope): string {
  switch (scope.kind) {
    case 'all':
      return 'all';
    case 'connector':
      return `connector ${scope.connector}`;
    case 'toolset':
      return `toolset ${scope.name}`;
  }
}

function toolsOf(scope: SurfaceScope): readonly string[] | undefined {
  return scope.kind === 'toolset' ? scope.tools : undefined;
}
