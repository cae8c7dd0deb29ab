import { setTimeout as sleep } from 'node:timers/promises';
import { openRawAgent } from './raw-agent.js';
import type { Topology } from './topology.js';

export interface TopologyFindings {
  readonly calls: number;
  /** What went wrong, in words; empty if nothing did. */
  readonly failures: readonly string[];
}

/** Calls through the balancer, of clients of both eras, while each replica in turn is stopped and started again. */
export async function checkTopology({ url, key, replicas }: Topology): Promise<TopologyFindings> {
  const failures: string[] = [];
  let calls = 0;
  const over = new AbortController();
  const agents = await Promise.all(
    (['legacy', 'modern'] as const).map((era) => openRawAgent({ url: `${url}/mcp`, key, era })),
  );
  for (const { url: own } of replicas) await untilOffered(own, key);
  const caller = async (agent: (typeof agents)[number], start: number): Promise<void> => {
    for (let index = start; !over.signal.aborted; index += 2) {
      const text = `text ${index}`;
      const answer = await agent
        .request('tools/call', { name: 'sample__echo', arguments: { text } })
        .catch((error: unknown) => ({ message: { error: String(error) } }));
      calls++;
      const told = JSON.stringify(answer) ?? '';
      if (!told.includes(text)) failures.push(`call ${index}: ${told.slice(0, 300)}`);
    }
  };
  const callers = agents.map((agent, index) => caller(agent, index));
  for (const replica of replicas) {
    await replica.stop();
    await replica.start();
  }
  over.abort();
  await Promise.all(callers);
  return { calls, failures };
}

/** The first sync of all is one replica's; the others hear of it. */
async function untilOffered(url: string, key: string): Promise<void> {
  const agent = await openRawAgent({ url: `${url}/mcp`, key, era: 'modern' });
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { message } = await agent.request('tools/list', {});
    if (JSON.stringify(message).includes('sample__echo')) return;
    if (Date.now() > deadline) throw new Error(`${url} does not offer what it should`);
    await sleep(100);
  }
}
