import type { McpClient } from '../../../src/mcp/client/index.js';
import { connectAgent } from '../agent-client.js';
import { RovingClient } from '../roving-client.js';
import type { CallBook } from './call-book.js';
import { proofOf } from './soak-server.js';
import type { SoakWorld } from './soak-world.js';

/** On a busy machine many at once take their time. */
const PATIENCE = { requestMs: 60_000, probeMs: 30_000 };
const TURNED_AWAY =
  /status 503|HTTP 408|HTTP 429|HTTP 503|is busy|Too many calls wait|Too many sessions|nobody answered: cancel/;
const LONGEST_THOUGHT_MS = 50;
const CALLS_OF_A_SESSION = 3;
/** What one agent may leave behind stays well below the sessions that it may have. */
const ABANDON_EVERY_MS = 1_000;
/** After which the hub forgets a session that nobody uses. */
const SESSION_IDLE_MS = 30 * 60_000;
/** After which it forgets a call whose caller does not come back. */
const PARKED_MS = 10 * 60_000;

interface VisitsOptions {
  readonly world: SoakWorld;
  readonly book: CallBook;
  /** 0 to 1. */
  readonly random: () => number;
}

/** What agents do at the hub, each visit from its beginning to its end. */
export class SoakVisits {
  readonly #world: SoakWorld;
  readonly #book: CallBook;
  readonly #random: () => number;
  /** Clients that stay; the others come and go. */
  readonly #regulars = new Map<string, Promise<McpClient>>();
  readonly #abandonedAt: number[] = [];
  readonly #unheardAt: number[] = [];

  constructor({ world, book, random }: VisitsOptions) {
    this.#world = world;
    this.#book = book;
    this.#random = random;
  }

  /** Sessions that nobody ended and that have not run out. */
  get abandoned(): number {
    const now = performance.now();
    return this.#abandonedAt.filter((at) => now - at < SESSION_IDLE_MS * 1.1).length;
  }

  /** Calls that were asked and whose answer a hub with too much to do did not take; it keeps them for a while. */
  get unheard(): number {
    const now = performance.now();
    return this.#unheardAt.filter((at) => now - at < PARKED_MS * 1.1).length;
  }

  /** Each agent at each connector and each kind of visit once, before anything is measured. */
  async all(): Promise<void> {
    for (const key of this.#world.keys) {
      const client = await this.#regular(key);
      await Promise.all(this.#world.connectors.map((connector) => this.#prove(client, connector)));
    }
    for (const visit of [this.session, this.asked, this.cancelled, this.listening]) await visit.call(this);
  }

  /** One visit of a random kind. */
  any(): Promise<void> {
    const dice = this.#random();
    if (dice < 0.84) return this.call();
    if (dice < 0.92) return this.session();
    if (dice < 0.96) return this.asked();
    return dice < 0.98 ? this.cancelled() : this.listening();
  }

  /** A client that stays makes one call. */
  async call(): Promise<void> {
    const client = await this.#regular().catch((error: unknown) => this.#fail(this.#book.begin(), error));
    if (client !== undefined) await this.#prove(client);
  }

  /** A legacy client opens a session, listens, calls, and ends it or leaves without a word. */
  async session(): Promise<void> {
    const client = new RovingClient([this.#world.hub.url], this.#pick(this.#world.keys));
    try {
      await client.initialize(0, 0);
      const stream = this.#random() < 0.5 ? await client.get(0) : undefined;
      for (let n = 0; n < CALLS_OF_A_SESSION; n++) {
        const call = this.#book.begin();
        try {
          const name = `${this.#pick(this.#world.connectors)}__prove`;
          const { status, message } = await client.request(0, 'tools/call', { name, arguments: { call } });
          this.#judge(call, proofOf(call), textOf(message) ?? `HTTP ${status} ${JSON.stringify(message)}`);
        } catch (error) {
          this.#fail(call, error);
        }
      }
      await stream?.cancel().catch(() => {});
      if (performance.now() - (this.#abandonedAt.at(-1) ?? -Infinity) > ABANDON_EVERY_MS)
        this.#abandonedAt.push(performance.now());
      else await client.delete(0);
    } catch (error) {
      this.#fail(this.#book.begin(), error);
    } finally {
      await client.close();
    }
  }

  /** A client of either era is asked while it calls, and answers. */
  async asked(): Promise<void> {
    const call = this.#book.begin();
    const word = `word for ${call}`;
    await this.#visit(
      call,
      async (client) => {
        const { content } = await client.callTool(`${this.#pick(this.#world.connectors)}__ask`, { call });
        this.#judge(call, `${proofOf(call)}: ${word}`, String(content[0]?.['text']));
      },
      word,
    );
  }

  /** A client of either era gives up. */
  async cancelled(): Promise<void> {
    const call = this.#book.begin();
    await this.#visit(call, async (client) => {
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), 20 + this.#random() * LONGEST_THOUGHT_MS);
      try {
        const tool = `${this.#pick(this.#world.connectors)}__wait`;
        const { content } = await client.callTool(tool, { call }, { signal: over.signal });
        const text = String(content[0]?.['text']);
        if (TURNED_AWAY.test(text)) this.#book.refused(call, text);
        else this.#book.crossed(call, `nobody ends it but the caller, and it was answered: ${text}`);
      } catch (error) {
        if (over.signal.aborted) this.#book.cancelled();
        else this.#fail(call, error);
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** A client of either era listens for changes, calls, and ends it. */
  async listening(): Promise<void> {
    const call = this.#book.begin();
    await this.#visit(call, async (client) => {
      const subscription = await client.subscribe({ toolsListChanged: true }, () => {});
      try {
        await this.#prove(client, undefined, call);
      } finally {
        subscription.close();
      }
    });
  }

  async close(): Promise<void> {
    for (const client of this.#regulars.values()) await client.then((one) => one.close()).catch(() => {});
    this.#regulars.clear();
  }

  async #visit(call: string, live: (client: McpClient) => Promise<void>, word = ''): Promise<void> {
    let client: McpClient | undefined;
    let wasAsked = false;
    try {
      client = await connectAgent(this.#world.hub, {
        era: this.#random() < 0.5 ? 'legacy' : 'modern',
        key: this.#pick(this.#world.keys),
        timeouts: PATIENCE,
        handlers: {
          elicitation: async ({ params }) => {
            wasAsked = true;
            const { message = '' } = params as { readonly message?: string };
            if (!message.endsWith(`about ${call}`)) this.#book.crossed(call, `was asked: ${message}`);
            await new Promise((resolve) => setTimeout(resolve, this.#random() * LONGEST_THOUGHT_MS));
            return { action: 'accept', content: { word } };
          },
        },
      });
      await live(client);
    } catch (error) {
      if (wasAsked) this.#unheardAt.push(performance.now());
      this.#fail(call, error);
    } finally {
      await client?.close().catch(() => {});
    }
  }

  #regular(key = this.#pick(this.#world.keys)): Promise<McpClient> {
    const known = this.#regulars.get(key);
    if (known !== undefined) return known;
    const opening = connectAgent(this.#world.hub, { era: 'modern', key, timeouts: PATIENCE });
    this.#regulars.set(key, opening);
    // The next visit opens another one.
    opening.catch(() => this.#regulars.delete(key));
    return opening;
  }

  async #prove(
    client: McpClient,
    connector = this.#pick(this.#world.connectors),
    call = this.#book.begin(),
  ): Promise<void> {
    try {
      const { content } = await client.callTool(`${connector}__prove`, { call });
      this.#judge(call, proofOf(call), String(content[0]?.['text']));
    } catch (error) {
      this.#fail(call, error);
    }
  }

  #judge(call: string, expected: string, text: string): void {
    if (text === expected) this.#book.answered(call);
    else if (TURNED_AWAY.test(text)) this.#book.refused(call, text);
    else {
      if (text.startsWith(proofOf(''))) this.#book.crossed(call, `got: ${text}`);
      this.#book.lost(call, text);
    }
  }

  #fail(call: string, error: unknown): void {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    const reason = `${String(error)}${cause}`;
    if (TURNED_AWAY.test(reason)) this.#book.refused(call, reason);
    else this.#book.lost(call, reason);
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }
}

function textOf(message: {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}): string | undefined {
  return message.result?.content?.[0]?.text;
}
