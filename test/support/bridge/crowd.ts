import type { InputHandlers, McpClient } from '../../../src/mcp/client/index.js';
import { connectAgent } from '../agent-client.js';
import type { TestHub } from '../start-hub.js';
import type { Report } from './create-everyday-server.js';
import { ERAS, keyOf } from './everyday-hub.js';

export interface CrowdOptions {
  readonly hub: Pick<TestHub, 'url' | 'localKey'>;
  /** Each is asked by everybody. */
  readonly connectors: readonly string[];
  readonly clients: number;
  /** Whose clients they are, in turn. */
  readonly agents: readonly string[];
  readonly callsEach: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Sets the calls of this crowd apart from those of others. */
  readonly name: string;
}

export interface CrowdOutcome {
  /** Calls that brought the answer that was given. */
  readonly answered: number;
  /** Calls in which nobody could be asked. */
  readonly refused: number;
  /** Calls that were given up, or whose client went away. */
  readonly abandoned: number;
  /** Calls that a hub or an upstream with too much to do would not take, or take further. */
  readonly turnedAway: number;
  readonly failures: readonly string[];
  /** Questions and answers that reached somebody else. */
  readonly crossed: readonly string[];
  /** Calls that an upstream carried out more than once, or not at all although they were answered. */
  readonly miscounted: readonly string[];
}

/** On a busy machine many at once take their time. */
const PATIENCE = { requestMs: 60_000, probeMs: 30_000 };
const TURNED_AWAY = /status 503|HTTP 429|HTTP 503|is busy|Too many calls wait/;
const MOST_ARRIVING = 20;
const LONGEST_THOUGHT_MS = 40;
const DEEDS = [
  'answer',
  'answer',
  'answer',
  'answer',
  'answer',
  'answer',
  'decline',
  'cancel',
  'leave',
] as const;
type Deed = (typeof DEEDS)[number];

interface Turn {
  readonly label: string;
  readonly deed: Deed;
}

/** Agents for a crowd. */
export const CROWD: readonly string[] = Array.from({ length: 50 }, (_, index) => `agent-${index}`);

/** The same row of numbers for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Many who call at once and are asked, and some of whom give up or go away in between. */
export async function runCrowd(options: CrowdOptions): Promise<CrowdOutcome> {
  const tally = new Tally();
  const { agents, clients } = options;
  const members = Array.from(
    { length: clients },
    (_, index) => new Member(index, agents[index % agents.length] as string, options, tally),
  );
  for (let from = 0; from < members.length; from += MOST_ARRIVING)
    await Promise.all(members.slice(from, from + MOST_ARRIVING).map((member) => member.arrive()));
  await Promise.all(members.map((member) => member.live()));
  await checkLedgers(options, tally);
  return tally;
}

class Tally implements CrowdOutcome {
  answered = 0;
  refused = 0;
  abandoned = 0;
  turnedAway = 0;
  readonly failures: string[] = [];
  readonly crossed: string[] = [];
  readonly miscounted: string[] = [];
  readonly done = new Set<string>();
}

class Member {
  readonly #name: string;
  readonly #agent: string;
  readonly #options: CrowdOptions;
  readonly #tally: Tally;
  #client: McpClient | undefined;
  #turn: Turn | undefined;

  constructor(index: number, agent: string, options: CrowdOptions, tally: Tally) {
    this.#name = `${options.name}.${index}`;
    this.#agent = agent;
    this.#options = options;
    this.#tally = tally;
  }

  async arrive(): Promise<void> {
    this.#client = await this.#connect();
  }

  async live(): Promise<void> {
    try {
      for (let call = 0; call < this.#options.callsEach; call++) {
        this.#client ??= await this.#connect();
        await this.#call(this.#client, `${this.#name}.${call}`);
      }
    } finally {
      await this.#client?.close();
    }
  }

  #connect(): Promise<McpClient> {
    const handlers: InputHandlers = { elicitation: (question) => this.#answer(question.params?.['message']) };
    const { hub } = this.#options;
    return connectAgent(hub, {
      era: this.#pick(ERAS),
      key: keyOf(this.#agent),
      handlers,
      timeouts: PATIENCE,
    });
  }

  async #call(client: McpClient, label: string): Promise<void> {
    const turn: Turn = { label, deed: this.#pick(DEEDS) };
    this.#turn = turn;
    const aborter = new AbortController();
    if (turn.deed === 'cancel') setTimeout(() => aborter.abort(), this.#thoughtMs());
    try {
      const tool = `${this.#pick(this.#options.connectors)}__form`;
      const result = await client.callTool(tool, { label }, { signal: aborter.signal });
      this.#judge(turn, String(result.content[0]?.['text']));
    } catch (error) {
      if (turn.deed === 'cancel' || turn.deed === 'leave') this.#tally.abandoned++;
      else this.#fail(label, String(error));
    } finally {
      this.#turn = undefined;
    }
  }

  async #answer(message: unknown): Promise<{ action: string; content?: { word: string } }> {
    const turn = this.#turn;
    if (turn === undefined || !String(message).endsWith(`form for ${turn.label}`))
      this.#tally.crossed.push(`${this.#name} was asked: ${String(message)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, this.#thoughtMs());
    });
    switch (turn?.deed) {
      case 'leave': {
        const client = this.#client;
        this.#client = undefined;
        // Nobody waits for it: it ends the very call that this is the answer for.
        void client?.close();
        return { action: 'cancel' };
      }
      case 'decline':
        return { action: 'decline' };
      default:
        return { action: 'accept', content: { word: wordOf(turn?.label ?? '') } };
    }
  }

  #judge({ label, deed }: Turn, text: string): void {
    const { action, content } = JSON.parse(text.startsWith('{') ? text : '{}') as {
      action?: string;
      content?: { word?: string };
    };
    if (action !== undefined) this.#tally.done.add(label);
    if (action === 'accept' ? content?.word !== wordOf(label) : action === 'decline' && deed !== 'decline')
      this.#tally.crossed.push(`${label} got: ${text}`);
    else if (action === 'cancel') this.#tally.refused++;
    else if (action === undefined) this.#fail(label, text);
    else this.#tally.answered++;
  }

  #fail(label: string, reason: string): void {
    if (TURNED_AWAY.test(reason)) this.#tally.turnedAway++;
    else this.#tally.failures.push(`${label}: ${reason}`);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#options.random() * values.length)] as Value;
  }

  #thoughtMs(): number {
    return this.#options.random() * LONGEST_THOUGHT_MS;
  }
}

const wordOf = (label: string): string => `said by ${label}`;

/** What upstreams did against what was seen of it. */
async function checkLedgers({ hub, connectors, name }: CrowdOptions, tally: Tally): Promise<void> {
  const counts = new Map<string, number>();
  const client = await connectAgent(hub);
  for (const connector of connectors) {
    const { content } = await client.callTool(`${connector}__report`, {});
    const { ledger } = JSON.parse(String(content[0]?.['text'])) as Report;
    for (const label of ledger.filter((one) => one.startsWith(`${name}.`)))
      counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  await client.close();
  for (const [label, count] of counts) if (count > 1) tally.miscounted.push(`${label}: ${count} times`);
  for (const label of tally.done) if (!counts.has(label)) tally.miscounted.push(`${label}: never`);
}
