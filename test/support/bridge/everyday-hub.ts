import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from '../bundle-program.js';
import { startTestHub, waitForSync, type TestHub } from '../start-hub.js';
import { startEverydayHttp } from './start-everyday-http.js';

export const ERAS = ['legacy', 'modern'] as const;
export const TRANSPORTS = ['http', 'stdio'] as const;
export type Era = (typeof ERAS)[number];

export interface Way {
  readonly era: Era;
  readonly transport: (typeof TRANSPORTS)[number];
}

export interface EverydayHub {
  readonly hub: TestHub;
  close(): Promise<void>;
}

export const WAYS: readonly Way[] = ERAS.flatMap((era) =>
  TRANSPORTS.map((transport) => ({ era, transport })),
);

/** The connector whose conversations are each principal's own. */
export const ownOf = ({ era, transport }: Way): string => `own-${era}-${transport}`;
/** The connector whose conversation is everybody's. */
export const sharedOf = ({ era, transport }: Way): string => `shared-${era}-${transport}`;
export const keyOf = (agent: string): string => `${agent}-agent-key-0123456789abcdef`;

/** One hub with an everyday server of each era over each transport, for itself and shared. */
export async function startEverydayHub(
  agents: readonly string[],
  {
    policy = 'permit(principal, action, resource);',
    limits = {},
  }: { readonly policy?: string; readonly limits?: object } = {},
): Promise<EverydayHub> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-everyday-'));
  const closing: (() => Promise<unknown> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const program = await bundleProgram('test/support/bridge/everyday-stdio.ts', folder);
  const connectors: Record<string, object> = {};
  for (const way of WAYS) {
    for (const [name, isolation] of [
      [ownOf(way), 'per_principal'],
      [sharedOf(way), 'shared'],
    ] as const) {
      if (way.transport === 'stdio')
        connectors[name] = { command: process.execPath, args: [program, way.era, name], isolation, limits };
      else {
        const upstream = await startEverydayHttp(way.era, name);
        closing.push(() => upstream.close());
        connectors[name] = { url: upstream.url, isolation, limits };
      }
    }
  }
  const hub = await startTestHub({
    config: {
      connectors,
      agents: Object.fromEntries(agents.map((agent) => [agent, { keys: [keyOf(agent)] }])),
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': policy },
  });
  for (const name of Object.keys(connectors)) await waitForSync(hub, name, 30_000);
  return {
    hub,
    async close() {
      await hub.close();
      for (const close of closing.toReversed()) await close();
    },
  };
}

/** How many processes this one has started that still run. */
export function countChildren(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
  return children === '' ? 0 : children.split(' ').length;
}

/** What keeps this process busy, by kind. */
export function countResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
