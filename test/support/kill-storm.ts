import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHubProcess, type HubProcess } from './hub-process.js';
import { openRawAgent } from './raw-agent.js';
import { startUpstream } from './scripted-upstream.js';

/** A hub that is killed again and again under load, and the three histories that must agree afterwards. */

export interface StormOptions {
  readonly folder: string;
  readonly kills: number;
  /** How long a hub lives before it is killed, at least and at most. */
  readonly lifeMs: readonly [number, number];
  readonly callers: number;
  /** How long a caller rests between two calls, and so does who writes. Default: not at all. */
  readonly restMs?: number;
  /** Hub to run; default: the sources. */
  readonly program?: readonly string[];
  readonly onKill?: (kill: number, readyMs: number) => void;
}

/** What each side saw. Calls are known by their number. */
export interface Histories {
  /** Calls whose result a client has seen; a number stands here as often as it was answered. */
  readonly answered: readonly number[];
  /** Calls that were sent and never answered. */
  readonly unanswered: readonly number[];
  /** Calls that were answered with an error. Nothing but the kills disturbs this hub, so there is no reason for one. */
  readonly refused: readonly number[];
  /** Calls that the upstream carried out. */
  readonly executed: readonly number[];
  /** Calls that the hub wrote down before it made them. */
  readonly intended: readonly number[];
  /** How often an end is written down for each call that has a beginning. */
  readonly endings: ReadonlyMap<string, number>;
  /** Agents whose creation was acknowledged, and those that are there at the end. */
  readonly acknowledged: readonly string[];
  readonly present: readonly string[];
  /** From the start of the program to the first time it says that it is ready. */
  readonly readyMs: readonly number[];
  /** How long it kept a processor busy for that: what others on the machine take does not count. */
  readonly startCpuMs: readonly number[];
  readonly chain: unknown;
}

const traceOf = (n: number): string => `00-${n.toString(16).padStart(32, '0')}-00f067aa0ba902b7-01`;
const numberOf = (trace: string): number => Number.parseInt(trace.slice(3, 35), 16);

export async function runStorm(options: StormOptions): Promise<Histories> {
  const { folder, kills, lifeMs, callers, onKill } = options;
  const executed: number[] = [];
  const upstream = await startUpstream({
    tools: [{ name: 'note', inputSchema: { type: 'object' } }],
    call: (_name, args) => {
      executed.push((args as { n: number }).n);
      return { content: [{ type: 'text', text: 'noted' }] };
    },
  });
  const config = {
    connectors: { up: { url: upstream.url, limits: { concurrency: 200, breakerFailures: 0 } } },
  };
  const start = (): Promise<HubProcess> => startHubProcess(folder, config, options.program);
  const load = new Load(options.restMs);
  const readyMs: number[] = [];
  const startCpuMs: number[] = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const before = performance.now();
      const hub = await start();
      await isReady(hub);
      readyMs.push(performance.now() - before);
      startCpuMs.push(cpuMsOf(hub.pid));
      await offersTools(hub);
      const running = Promise.all(Array.from({ length: callers }, () => load.callUntilGone(hub)));
      const writing = load.writeUntilGone(hub);
      const [least, most] = lifeMs;
      await load.somethingHappened(executed, least + Math.random() * (most - least));
      await hub.kill();
      await Promise.all([running, writing]);
      onKill?.(kill, readyMs.at(-1) ?? 0);
    }
    const last = await start();
    try {
      return { ...load.seen(), executed, readyMs, startCpuMs, ...(await readHub(last)) };
    } finally {
      await last.close();
    }
  } finally {
    await upstream.close();
  }
}

async function isReady({ url }: HubProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await fetch(`${url}/ready`)).status !== 200) {
    if (Date.now() > deadline) throw new Error('the hub never became ready');
    await sleep(10);
  }
}

/** A machine that is very busy may take longer for the first listing than a start waits for it. */
async function offersTools({ url, localKey }: HubProcess): Promise<void> {
  const agent = await openRawAgent({ url: `${url}/mcp`, key: localKey, era: 'modern' });
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { message } = await agent.request('tools/list', {});
    if (JSON.stringify(message).includes('up__note')) return;
    if (Date.now() > deadline) throw new Error('the upstream was never listed');
    await sleep(10);
  }
}

/** Of the whole process so far; in the units of `/proc`, which are hundredths of a second. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Clients of the hub, through all its lives. */
class Load {
  readonly #answered: number[] = [];
  readonly #unanswered: number[] = [];
  readonly #refused: number[] = [];
  readonly #acknowledged: string[] = [];
  readonly #restMs: number | undefined;
  #next = 1;
  #nextAgent = 1;

  constructor(restMs: number | undefined) {
    this.#restMs = restMs;
  }

  seen() {
    return {
      answered: this.#answered,
      unanswered: this.#unanswered,
      refused: this.#refused,
      acknowledged: this.#acknowledged,
    };
  }

  async callUntilGone({ url, localKey }: HubProcess): Promise<void> {
    const agent = await openRawAgent({ url: `${url}/mcp`, key: localKey, era: 'modern' });
    for (;;) {
      const n = this.#next++;
      try {
        const { message } = await agent.request('tools/call', {
          name: 'up__note',
          arguments: { n },
          _meta: { traceparent: traceOf(n) },
        });
        if (JSON.stringify(message).includes('noted')) this.#answered.push(n);
        else this.#refused.push(n);
      } catch {
        this.#unanswered.push(n);
        return;
      }
      await this.#rest();
    }
  }

  async writeUntilGone({ url, adminToken }: HubProcess): Promise<void> {
    for (;;) {
      const id = `agent-${this.#nextAgent++}`;
      try {
        const answer = await fetch(`${url}/api/v1/agents`, {
          method: 'POST',
          headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ id, name: id }),
        });
        if (answer.ok) this.#acknowledged.push(id);
      } catch {
        return;
      }
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    if (this.#restMs !== undefined) await sleep(this.#restMs);
  }

  /** The time is up, and there was at least some traffic in it. */
  async somethingHappened(executed: readonly number[], ms: number): Promise<void> {
    const { length } = executed;
    const deadline = Date.now() + 20_000;
    await sleep(ms);
    while (executed.length < length + 5 && Date.now() < deadline) await sleep(20);
  }
}

interface EventRow {
  readonly type: string;
  readonly callId?: string;
  readonly trace?: string;
}

async function readHub({ url, adminToken }: HubProcess) {
  const ask = async (path: string, method = 'GET'): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const all = async <Row>(path: string): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await ask(
        `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor && `&cursor=${cursor}`}`,
      );
      rows.push(...(page['items'] as Row[]));
      cursor = page['nextCursor'] as string | undefined;
    }
    return rows;
  };
  const intents = await all<EventRow>('/events?type=call.intended');
  const endings = new Map(intents.map(({ callId = '' }) => [callId, 0]));
  for (const { callId = '' } of await all<EventRow>('/events?type=call.finished'))
    endings.set(callId, (endings.get(callId) ?? 0) + 1);
  return {
    intended: intents.map(({ trace = '' }) => numberOf(trace)),
    endings,
    present: (await all<{ readonly id: string }>('/agents')).map(({ id }) => id),
    chain: await ask('/events/verify', 'POST'),
  };
}

/** What must hold between the histories; each broken rule in words. */
export function findViolations(seen: Histories): readonly string[] {
  const executed = new Set(seen.executed);
  const intended = new Set(seen.intended);
  const present = new Set(seen.present);
  const tell = (what: string, which: readonly unknown[]): readonly string[] =>
    which.length === 0 ? [] : [`${what}: ${which.slice(0, 10).join(', ')} (${which.length} in all)`];
  const twice = (numbers: readonly number[]): readonly number[] => {
    const once = new Set<number>();
    return numbers.filter((n) => once.size === once.add(n).size);
  };
  return [
    ...tell('I1: answered twice', twice(seen.answered)),
    ...tell('I1: refused for no reason', seen.refused),
    ...tell('I2: carried out twice', twice(seen.executed)),
    ...tell(
      'I2: answered and not carried out',
      seen.answered.filter((n) => !executed.has(n)),
    ),
    ...tell(
      'I3: carried out and not written down',
      seen.executed.filter((n) => !intended.has(n)),
    ),
    ...tell(
      'I3: written down without exactly one end',
      [...seen.endings].filter(([, times]) => times !== 1).map(([id]) => id),
    ),
    ...tell(
      'I4: acknowledged and lost',
      seen.acknowledged.filter((id) => !present.has(id)),
    ),
  ];
}
