import { openRawAgent } from '../test/support/raw-agent.js';
import { startUpstream } from '../test/support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../test/support/start-hub.js';

/**
 * How much one upstream that hangs, is slow or answers with floods disturbs another. Measures the good one alone and
 * beside each of them in turn, several rounds, and prints the ratio of the 50th and 99th percentile.
 * Usage: npm run isolation [-- calls rounds]
 */

const [calls = 400, rounds = 3] = process.argv.slice(2).map(Number);
const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];
const FINE = { content: [{ type: 'text', text: 'fine' }] };
const FLOOD = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n`;

const good = await startUpstream({ tools: TOOLS, call: () => FINE });
const bad = await startUpstream({ tools: TOOLS, call: () => FINE });
const hub = await startTestHub({
  config: {
    connectors: {
      good: { url: good.url },
      bad: { url: bad.url, timeouts: { requestMs: 2_000, totalMs: 3_000 }, limits: { breakerFailures: 5 } },
    },
  },
});
for (const id of ['good', 'bad']) await waitForSync(hub, id);
const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
const call = (name: string) => agent.request('tools/call', { name, arguments: {} }).catch(() => undefined);

const TROUBLES: Readonly<Record<string, () => object | undefined | Promise<object | undefined>>> = {
  none: () => FINE,
  hangs: () => new Promise(() => {}),
  slow: () => new Promise((resolve) => setTimeout(() => resolve(FINE), 1_000)),
};

async function measure(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const startedAt = performance.now();
    await call('good__t');
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b);
}

async function beside(trouble: string): Promise<readonly number[]> {
  bad.script =
    trouble === 'floods'
      ? {
          tools: TOOLS,
          call: (_name, _args, { rpc }, response) => {
            const answer = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: FINE });
            response
              .writeHead(200, { 'content-type': 'text/event-stream' })
              .end(`${FLOOD.repeat(500)}event: message\ndata: ${answer}\n\n`);
            return undefined;
          },
        }
      : { tools: TOOLS, call: TROUBLES[trouble] ?? (() => FINE) };
  const over = new AbortController();
  const pressure = Array.from({ length: trouble === 'none' ? 0 : 4 }, async () => {
    while (!over.signal.aborted) {
      await call('bad__t');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  const times = await measure();
  over.abort();
  await Promise.all(pressure);
  return times;
}

const at = (times: readonly number[], share: number): number =>
  times[Math.floor((times.length - 1) * share)] ?? 0;
await measure();
console.log(`${calls} calls of the good one, ${rounds} rounds; milliseconds`);
for (let round = 1; round <= rounds; round++) {
  const alone = await beside('none');
  console.log(`round ${round}: alone p50 ${at(alone, 0.5).toFixed(2)} p99 ${at(alone, 0.99).toFixed(2)}`);
  for (const trouble of ['hangs', 'slow', 'floods']) {
    const times = await beside(trouble);
    const ratio = (share: number): string => (at(times, share) / at(alone, share)).toFixed(2);
    console.log(
      `round ${round}: beside one that ${trouble === 'slow' ? 'is slow' : trouble}: p50 x${ratio(0.5)}, p99 x${ratio(0.99)}`,
    );
  }
}
await hub.close();
await good.close();
await bad.close();
