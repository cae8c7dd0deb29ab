import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventLog } from '../../src/governance/index.js';
import { silentLogger, toAgentId, toCallId, toConnectorId } from '../../src/kernel/index.js';
import { openStorage, type MasterKeys } from '../../src/storage/index.js';
import { startUpstream } from './scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from './start-hub.js';

export interface LargeHubOptions {
  readonly events: number;
  readonly connectors?: number;
  /** Of each of the five connectors that are synced. */
  readonly tools?: number;
}

const BUSY = 5;
const GROUP = 2_000;
/** Called once, by the oldest event: finding it looks at all others. */
export const RARE_TOOL = 'busy0__rare';

/** A hub with as much as a large company has: connectors, tools, and a log of calls. */
export async function startLargeHub({
  events,
  connectors = 200,
  tools = 2_000,
}: LargeHubOptions): Promise<TestHub> {
  const upstream = await startUpstream({
    tools: Array.from({ length: tools }, (_, index) => ({
      name: `tool_${String(index).padStart(5, '0')}`,
      description: `Does thing number ${index}.`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    })),
  });
  const idle = Array.from({ length: connectors - BUSY }, (_, index) => [
    `idle-${index}`,
    { name: `Idle ${index}`, url: 'https://mcp.example.com/mcp', enabled: false },
  ]);
  const busy = Array.from({ length: BUSY }, (_, index) => [`busy${index}`, { url: upstream.url }]);
  const config = { connectors: Object.fromEntries([...busy, ...idle]), agents: { ci: {}, support: {} } };
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-large-'));
  const first = await startTestHub({ config: {}, folder });
  await first.close();
  await fillEvents(join(folder, 'data', 'hub.db'), first.running.folder.masterKeys, events);
  const hub = await startTestHub({ config, folder });
  for (let index = 0; index < BUSY; index++) await waitForSync(hub, `busy${index}`, 60_000);
  return {
    ...hub,
    async close() {
      await hub.close();
      await upstream.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Calls of the last thirty days, as the hub would have recorded them. */
async function fillEvents(path: string, masterKeys: MasterKeys, count: number): Promise<void> {
  const step = Math.floor((30 * 86_400_000) / Math.max(1, count));
  let now = Date.now() - count * step;
  const clock = { now: () => now, monotonic: () => now } as never;
  const storage = await openStorage({ url: `sqlite:${path}`, masterKeys, clock });
  const log = await openEventLog({ store: storage.events, clock, logger: silentLogger });
  for (let index = 0; index < count; index++) {
    const tool = `tool_${String((index * 7) % 2_000).padStart(5, '0')}`;
    log.append(
      { kind: 'agent', id: toAgentId(index % 9 === 0 ? 'ci' : 'support') },
      {
        type: 'call.finished',
        callId: toCallId(`large-${index}`),
        connector: toConnectorId(`busy${index % BUSY}`),
        target: tool,
        exposedName: index === 0 ? RARE_TOOL : `busy${index % BUSY}__${tool}`,
        method: 'tools/call',
        outcome: index % 97 === 0 ? 'failed' : 'ok',
        durationMs: 20 + (index % 80),
      },
    );
    now += step;
    if (index % GROUP === GROUP - 1) await log.flush();
  }
  await log.close();
  await storage.close();
}
