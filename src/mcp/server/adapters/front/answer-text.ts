import { STATUS_CODES } from 'node:http';
import type { AnswerHeaders } from '../../exchange.js';

const UNFIT = /[^\t\x20-\x7e]/;

/** Heads of answers as text, in the form of Node's own. Most answers have one of few sets of headers. */
export class AnswerTexts {
  readonly #fields = new WeakMap<AnswerHeaders, string>();
  readonly #keepAlive: string;
  #dateAt = 0;
  #date = '';

  constructor(keepAliveMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  }

  /** Without the line that says how the body ends, and without the last one. Throws for a value that cannot be sent. */
  head(
    status: number,
    headers: AnswerHeaders,
    shared: AnswerHeaders | undefined,
    isLast: boolean,
    now: number,
  ): string {
    const more = shared === undefined ? '' : this.#fieldsOf(shared);
    const connection = isLast ? 'connection: close\r\n' : this.#keepAlive;
    const line = status === 200 ? 'HTTP/1.1 200 OK' : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`;
    return `${line}\r\n${this.#fieldsOf(headers)}${more}Date: ${this.#dateOf(now)}\r\n${connection}`;
  }

  #fieldsOf(headers: AnswerHeaders): string {
    let text = this.#fields.get(headers);
    if (text === undefined) {
      text = '';
      for (const name in headers) {
        const value = headers[name] ?? '';
        if (UNFIT.test(value)) throw new TypeError(`the header ${name} cannot be sent`);
        text += `${name}: ${value}\r\n`;
      }
      this.#fields.set(headers, text);
    }
    return text;
  }

  #dateOf(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#dateAt) {
      this.#dateAt = second;
      this.#date = new Date(now).toUTCString();
    }
    return this.#date;
  }
}
