import type { Switchboard } from '../../kernel/index.js';
import { parseJson, stringifyJson, TOLERANT_JSON, type JsonObject } from '../../mcp/jsonrpc/index.js';
import type { PeerListener, SessionKey, SessionPeers } from '../../mcp/server/index.js';

/** Whoever lives answers at once, or after a word with an upstream. */
const ANSWER_MS = 8_000;

interface Envelope extends JsonObject {
  readonly principal: string;
  readonly session: string;
  readonly message: JsonObject;
}

/** What replicas tell each other of the sessions of one endpoint. */
export class SessionLine implements SessionPeers {
  readonly self: string;
  readonly #board: Switchboard;
  readonly #line: string;
  #stop: (() => void) | undefined;

  constructor(board: Switchboard, endpoint: string) {
    this.self = board.self;
    this.#board = board;
    this.#line = `session:${endpoint}`;
  }

  tell(to: string | undefined, key: SessionKey, message: JsonObject): void {
    this.#board.tell(to, this.#line, write(key, message));
  }

  async ask(to: string, key: SessionKey, message: JsonObject): Promise<JsonObject | undefined> {
    const answer = await this.#board.ask(to, this.#line, write(key, message), { timeoutMs: ANSWER_MS });
    return answer === undefined || answer === ''
      ? undefined
      : (parseJson(answer, TOLERANT_JSON) as JsonObject);
  }

  isGone(name: string): Promise<boolean> {
    return this.#board.isGone(name).catch(() => false);
  }

  listen(listener: PeerListener): void {
    this.#stop = this.#board.serve(this.#line, {
      told: (from, text) => {
        const { message, ...key } = read(text);
        listener.told(from, key, message);
      },
      asked: async (from, text) => {
        const { message, ...key } = read(text);
        const answer = await listener.asked(from, key, message);
        return answer === undefined ? '' : stringifyJson(answer);
      },
      missed: () => listener.missed(),
    });
  }

  close(): void {
    this.#stop?.();
  }
}

function write({ principal, session }: SessionKey, message: JsonObject): string {
  return stringifyJson({ principal, session, message });
}

/** The seal says that it is ours, so its shape is. */
function read(text: string): Envelope {
  return parseJson(text, TOLERANT_JSON) as Envelope;
}
