import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBench } from '../compile.js';
import type { Cores } from '../cores.js';
import { openSession, post } from '../hub/one-request.js';
import type { Program } from '../hub/processes.js';
import { startStub } from '../hub/targets.js';
import { toRequest } from '../hub/work.js';
import { IDLE_MS, settle } from '../settle.js';
import { median } from '../statistics.js';
import { openStreams } from './open-streams.js';
import type { ScaleFigure } from './report-scale.js';
import { headersFor, startScaleHub, type ScaleHub } from './scale-hub.js';

export interface ScaleSettings {
  readonly bench: CompiledBench;
  readonly cores: Cores | undefined;
  /** Share of the usual numbers, for a quick look. */
  readonly share: number;
  readonly say: (line: string) => void;
}

const SESSIONS = 10_000;
const STREAMS = 5_000;
/** One agent may hold 100. */
const SESSIONS_PER_AGENT = 90;
const SYNC_MS = 120_000;
const LISTINGS = 15;

/** What many connectors, tools, sessions and streams cost, in one run. */
export async function measureScale(settings: ScaleSettings): Promise<readonly ScaleFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-bench-scale-'));
  const programs: Program[] = [];
  const killAll = (): void => programs.forEach((program) => program.kill());
  process.once('exit', killAll);
  const started = (program: Program): void => void programs.push(program);
  try {
    const run = { ...settings, folder, started };
    return [
      ...(await measureStarts(run, 10, 20, 600)),
      ...(await measureStarts(run, Math.ceil(500 * settings.share), 2, 3_000)),
      ...(await measureList(run)),
      ...(await measureSessions(run)),
    ];
  } finally {
    await Promise.all(programs.map((program) => program.close()));
    process.removeListener('exit', killAll);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Run extends ScaleSettings {
  readonly folder: string;
  readonly started: (program: Program) => void;
}

/** A start on what is known already, which is how hubs usually start. */
async function measureStarts(
  run: Run,
  connectors: number,
  tools: number,
  limitMs: number,
): Promise<readonly ScaleFigure[]> {
  run.say(`starting with ${connectors} connectors`);
  const first = await openHub(run, { connectors, tools, agents: 1 });
  await untilListed(first.hub, connectors * tools);
  await first.hub.program.close();
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    const hub = await first.again();
    times.push(hub.readyMs);
    await hub.program.close();
  }
  await first.close();
  const what = `start to ready, ${connectors} connectors with ${connectors * tools} tools known`;
  return [{ what, value: median(times), unit: 'ms', limit: limitMs }];
}

async function measureList(run: Run): Promise<readonly ScaleFigure[]> {
  const connectors = Math.ceil(200 * run.share);
  const tools = connectors * 50;
  run.say(`a list of ${tools} tools`);
  const { hub, close } = await openHub(run, { connectors, tools: 50, agents: 2 });
  await untilListed(hub, tools);
  const session = (await openSession(hub.url, headersFor(0))) ?? '';
  const list = toRequest('list', { era: 'legacy', prefix: 'stub0__', headers: headersFor(0) }, []);
  const call = toRequest('echo', { era: 'legacy', prefix: 'stub0__', headers: headersFor(0) }, []);
  const time = async (body: typeof list): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < LISTINGS; i++)
      times.push(await firstByte(hub.url, { ...body.headers, 'mcp-session-id': session }, body.body));
    return median(times);
  };
  const figures = [
    {
      what: `list of ${tools} tools from ${connectors} connectors, first byte`,
      value: await time(list),
      unit: 'ms',
      limit: 20,
    },
    { what: `a call among ${tools} tools, first byte`, value: await time(call), unit: 'ms' },
  ];
  await close();
  return figures;
}

async function measureSessions(run: Run): Promise<readonly ScaleFigure[]> {
  const sessions = Math.ceil(SESSIONS * run.share);
  const streams = Math.ceil(STREAMS * run.share);
  run.say(`${sessions} sessions, ${streams} streams`);
  const agents = Math.ceil(sessions / SESSIONS_PER_AGENT) + 2;
  const { hub, close } = await openHub(run, { connectors: 1, tools: 2, agents });
  await untilListed(hub, 2);
  await settle(IDLE_MS);
  const idle = hub.program.usage().rssBytes;
  // The first ones load code and fill caches that all share.
  for (let i = 0; i < 50; i++) await openSession(hub.url, headersFor(agents - 1 - (i % 2)));
  await settle();
  const before = hub.program.usage().rssBytes;
  const opened = [];
  for (let i = 0; i < sessions; i++) {
    const headers = headersFor(Math.floor(i / SESSIONS_PER_AGENT));
    opened.push({ id: (await openSession(hub.url, headers)) ?? '', headers });
  }
  await settle();
  const withSessions = hub.program.usage().rssBytes;
  const giveUp = await openStreams(hub.url, opened.slice(0, streams));
  await settle();
  const withStreams = hub.program.usage().rssBytes;
  giveUp();
  await close();
  const each = (bytes: number, count: number): number => Math.max(0, bytes) / count / 1e3;
  return [
    { what: 'idle hub', value: idle / 1e6, unit: 'MB', limit: 90 },
    {
      what: `each of ${sessions} idle sessions`,
      value: each(withSessions - before, sessions),
      unit: 'kB',
      limit: 12,
    },
    {
      what: `each of ${streams} open streams`,
      value: each(withStreams - withSessions, streams),
      unit: 'kB',
      limit: 20,
    },
    {
      what: `${sessions} sessions and ${streams} streams held`,
      value: withStreams / 1e6,
      unit: 'MB',
      limit: 300,
    },
  ];
}

async function openHub(
  { bench, cores, folder, started }: Run,
  {
    connectors,
    tools,
    agents,
  }: { readonly connectors: number; readonly tools: number; readonly agents: number },
) {
  const stub = await startStub({ bench, core: cores?.other, started }, tools);
  const place = mkdtempSync(join(folder, 'hub-'));
  const again = (): Promise<ScaleHub> =>
    startScaleHub({
      bench,
      core: cores?.subject,
      folder: place,
      upstream: stub.url,
      connectors,
      agents,
      started,
    });
  const hub = await again();
  return {
    hub,
    again,
    close: async (): Promise<void> => {
      await hub.program.close();
      await stub.program.close();
    },
  };
}

/** All pages of the list, until they have everything. */
async function untilListed(hub: ScaleHub, tools: number): Promise<void> {
  const deadline = Date.now() + SYNC_MS;
  const session = (await openSession(hub.url, headersFor(0))) ?? '';
  const { headers } = toRequest('list', { era: 'legacy', prefix: '', headers: headersFor(0) }, []);
  for (;;) {
    let listed = 0;
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
      const answer = await post(hub.url, { ...headers, 'mcp-session-id': session }, body);
      const { result } = JSON.parse(messageIn(answer.body)) as {
        result?: { tools: unknown[]; nextCursor?: string };
      };
      listed += result?.tools.length ?? 0;
      cursor = result?.nextCursor;
    } while (cursor !== undefined);
    if (listed >= tools) return;
    if (Date.now() > deadline) throw new Error(`only ${listed} of ${tools} tools are listed`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Of a JSON answer, or of an event stream with nothing but an answer: a hub that is busy starting may take its time. */
function messageIn(body: string): string {
  return body.startsWith('{') ? body : body.slice(body.lastIndexOf('data: ') + 'data: '.length);
}

function firstByte(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers, agent: false, timeout: 20_000 }, (answer) => {
      answer.once('data', () => {
        const taken = performance.now() - begun;
        answer.resume();
        answer.once('end', () => resolve(taken));
      });
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
