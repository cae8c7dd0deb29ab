import type { SurfaceScope } from '../catalog/index.js';
import { REST_METHODS } from './rest-face.js';

/** What the hub has by name. */
export interface NamedParts {
  readonly toolsets: () => Readonly<Record<string, readonly string[]>>;
  readonly isConnector: (id: string) => boolean;
}

const CONNECTOR_PATH = /^\/connectors\/([A-Za-z0-9_-]{1,48})\/mcp$/;
const TOOLSET_PATH = /^\/toolsets\/([A-Za-z0-9_-]{1,48})\/mcp$/;
const NO_TOOLS: readonly string[] = [];

/** Whether a path would be that of a connector or a toolset, if there was one. */
export function isScoped(path: string): boolean {
  return CONNECTOR_PATH.test(path) || TOOLSET_PATH.test(path);
}

/** Which part of the catalogue a path stands for. */
export function scopeOf(path: string, { isConnector, toolsets }: NamedParts): SurfaceScope | undefined {
  if (path === '/mcp' || Object.hasOwn(REST_METHODS, path)) return { kind: 'all' };
  const connector = CONNECTOR_PATH.exec(path)?.[1];
  if (connector !== undefined) return isConnector(connector) ? { kind: 'connector', connector } : undefined;
  const name = TOOLSET_PATH.exec(path)?.[1];
  if (name === undefined || !Object.hasOwn(toolsets(), name)) return undefined;
  return {
    kind: 'toolset',
    name,
    // Whoever looks at a toolset sees it change; one that was taken away is empty.
    get tools() {
      return Object.hasOwn(toolsets(), name) ? (toolsets()[name] ?? NO_TOOLS) : NO_TOOLS;
    },
  };
}

/** The same in all replicas, whatever the part consists of at the moment. */
export function nameOfScope(scope: SurfaceScope): string {
  return JSON.stringify(scope.kind === 'toolset' ? { kind: scope.kind, name: scope.name } : scope);
}
