import {
  answeredId,
  InvalidMessage,
  JsonError,
  parseMessage,
  seeminglyAnsweredId,
  toMessage,
  TOLERANT_JSON,
  type Json,
  type Message,
  type RequestId,
} from '../jsonrpc/index.js';
import type { TransportWarning } from './transport.js';
import { LineRate } from './line-rate.js';
import { readProgress } from './read-progress.js';
import { toPlainText } from './stdio-stderr.js';

const WARNINGS_PER_SECOND = 10;

export interface LineMessagesOptions {
  onMessage(message: Message): void;
  /** A line that would be the answer to this request if it were a message. */
  onBadAnswer(id: RequestId): void;
  onWarning(warning: TransportWarning): void;
  /** What a line that is no message says, as far as that is talk; at most ten a second. */
  onTalk?(text: string): void;
  /** So many unusable lines without a message between them. */
  readonly maxBadLines: number;
  onTooManyBadLines(): void;
  /** Whether nobody wants this line, by its first characters. */
  readonly ignores?: (line: string) => boolean;
}

/** Turns lines a peer wrote into messages; counts and skips what is none. */
export class LineMessages {
  readonly #options: LineMessagesOptions;
  readonly #warnings = new LineRate(WARNINGS_PER_SECOND);
  #skipped = 0;
  #badRun = 0;
  #stopped = false;

  constructor(options: LineMessagesOptions) {
    this.#options = options;
  }

  /** How many lines were no messages. */
  get skipped(): number {
    return this.#skipped;
  }

  read(line: string): void {
    const progress = readProgress(line);
    if (progress !== undefined) return this.#pass(progress);
    if (this.#options.ignores?.(line) === true) {
      this.#badRun = 0;
      return;
    }
    const value = this.#parse(line);
    if (value === undefined) {
      this.#skip('not_json', line);
    } else if (Array.isArray(value) && value.length > 0) {
      // A peer of the one revision with batches may answer with one (2025-03-26, basic: batching).
      for (const item of value) this.#deliver(item);
    } else {
      this.#deliver(value);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  #parse(line: string): Json | undefined {
    if (TALK.test(line)) return undefined;
    try {
      return parseMessage(line, TOLERANT_JSON);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (error.isTooMuch) this.#bad(seeminglyAnsweredId(line));
      return undefined;
    }
  }

  #deliver(value: Json): void {
    const message = convert(value);
    if (message !== undefined) return this.#pass(message);
    this.#bad(answeredId(value));
    this.#skip('not_jsonrpc', '');
  }

  #bad(answered: RequestId | undefined): void {
    if (answered !== undefined && !this.#stopped) this.#options.onBadAnswer(answered);
  }

  #pass(message: Message): void {
    if (this.#stopped) return;
    this.#badRun = 0;
    this.#options.onMessage(message);
  }

  #skip(code: 'not_json' | 'not_jsonrpc', line: string): void {
    if (this.#stopped) return;
    this.#skipped++;
    this.#badRun++;
    if (this.#warnings.take()) {
      const what = code === 'not_json' ? 'JSON' : 'JSON-RPC';
      this.#options.onWarning({
        code,
        message: `skipped a line that is not ${what} (${this.#skipped} so far)`,
      });
      this.#options.onTalk?.(toTalk(line) || `(a line that is not ${what})`);
    }
    if (this.#badRun >= this.#options.maxBadLines) {
      this.stop();
      this.#options.onTooManyBadLines();
    }
  }
}

/** What no JSON begins with. An exception for each line of a program's talk would cost ten times as much as a message. */
const TALK = /^\s*(?:[^{["\-\dtfn\s]|t(?!rue)|f(?!alse)|n(?!ull))/;

const TALK_CHARACTERS = 500;

/** Without what may be a message, which is nobody's to read but the one's it is for. */
function toTalk(line: string): string {
  return toPlainText(line.slice(0, TALK_CHARACTERS).replace(/[{"].*/s, '')).trim();
}

function convert(value: Json): Message | undefined {
  try {
    return toMessage(value);
  } catch (error) {
    if (error instanceof InvalidMessage) return undefined;
    throw error;
  }
}
