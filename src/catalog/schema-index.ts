import type { ConnectorId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { LiveCatalog } from './live-catalog.js';
import type { Snapshot } from './snapshot.js';

/** Finds the input schemas of tools by the upstream's name, also among very many. */
export function createSchemaIndex(
  catalog: Pick<LiveCatalog, 'snapshotOf'>,
): (connector: ConnectorId, tool: string) => JsonObject | undefined {
  const known = new WeakMap<Snapshot, ReadonlyMap<string, JsonObject>>();
  return (connector, tool) => {
    const snapshot = catalog.snapshotOf(connector);
    if (snapshot === undefined) return undefined;
    let schemas = known.get(snapshot);
    if (schemas === undefined)
      known.set(
        snapshot,
        (schemas = new Map(snapshot.tools.map(({ name, inputSchema }) => [name, inputSchema]))),
      );
    return schemas.get(tool);
  };
}
