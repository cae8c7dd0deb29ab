import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { CompiledBench } from '../compile.js';
import { freePort, startProgram, type Program } from '../hub/processes.js';

export interface ScaleHubOptions {
  readonly bench: CompiledBench;
  readonly core: number | undefined;
  /** Keeps its data from start to start. */
  readonly folder: string;
  readonly upstream: string;
  readonly connectors: number;
  readonly agents: number;
  readonly started: (program: Program) => void;
}

export interface ScaleHub {
  readonly url: string;
  readonly program: Program;
  /** From the command to the answer that it is ready. */
  readonly readyMs: number;
}

const READY_MS = 60_000;
const POLICY = `@id("use")
permit (principal, action, resource) when { principal.tags.contains("bench") };
`;

export const headersFor = (agent: number): Record<string, string> => ({
  authorization: `Bearer key-of-the-bench-for-agent-${agent}`,
});

/** The hub as it is published, with many connectors and many agents. */
export async function startScaleHub(options: ScaleHubOptions): Promise<ScaleHub> {
  const { bench, core, folder, upstream, connectors, agents, started } = options;
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const names = (count: number, prefix: string): readonly string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const config = {
    agents: Object.fromEntries(
      names(agents, 'agent-').map((name) => [
        name,
        { keys: [`key-of-the-bench-for-${name}`], tags: ['bench'] },
      ]),
    ),
    policies: ['./bench.cedar'],
    connectors: Object.fromEntries(
      names(connectors, 'stub').map((name) => [name, { url: upstream, era: 'legacy' }]),
    ),
  };
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'bench.cedar'), POLICY);
  const begun = performance.now();
  const program = await startProgram({
    command: [
      process.execPath,
      bench.program('src/cli/index.js'),
      'serve',
      '--port',
      String(port),
      '--data',
      join(folder, 'data'),
      '--log-level',
      'error',
      '--json',
    ],
    core,
    port,
    folder,
    started,
  });
  await untilReady(port);
  return { url: `http://127.0.0.1:${port}/mcp`, program, readyMs: performance.now() - begun };
}

async function untilReady(port: number): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while ((await statusOf(`http://127.0.0.1:${port}/ready`)) !== 200) {
    if (Date.now() > deadline) throw new Error('the hub did not become ready');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(url, { agent: false, timeout: 5_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(0));
    outgoing.end();
  });
}
