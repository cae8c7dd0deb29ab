import { EventReader, type Parsed } from './server/event-reader.js';

/** One legacy client whose requests go to whichever address the test says. */
export class RovingClient {
  readonly #urls: readonly string[];
  readonly #key: string;
  readonly #fresh: boolean;
  readonly #open = new Set<EventReader>();
  session = '';
  #id = 0;

  /** `fresh`: each request comes over a connection of its own. */
  constructor(urls: readonly string[], key: string, { fresh = false } = {}) {
    this.#fresh = fresh;
    this.#urls = urls;
    this.#key = key;
  }

  /** The handshake, each step at another place. */
  async initialize(at: number, then: number, capabilities: object = {}): Promise<this> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities,
      clientInfo: { name: 'roving', version: '1' },
    };
    const { headers, message } = await this.request(at, 'initialize', params);
    if (message.error !== undefined) throw new Error(JSON.stringify(message));
    this.session = headers.get('mcp-session-id') ?? '';
    const accepted = await this.notify(then, 'notifications/initialized');
    if (accepted !== 202) throw new Error(`initialized: HTTP ${accepted}`);
    return this;
  }

  /** Posts and reads the whole answer. */
  async request(at: number, method: string, params: object = {}) {
    const reader = await this.begin(at, method, params);
    const isStream = reader.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream)
      return { status: reader.status, headers: reader.headers, message: (await reader.rest()).at(-1) };
    while (await reader.more());
    const message: Parsed = reader.raw === '' ? {} : JSON.parse(reader.raw);
    return { status: reader.status, headers: reader.headers, message };
  }

  /** Posts a request and leaves its answer to be read. */
  async begin(at: number, method: string, params: object = {}, id: unknown = ++this.#id) {
    return this.#reader(await this.#post(at, { jsonrpc: '2.0', id, method, params }));
  }

  async notify(at: number, method: string, params: object = {}): Promise<number> {
    return this.send(at, { jsonrpc: '2.0', method, params });
  }

  /** Any message that is no request. */
  async send(at: number, message: object): Promise<number> {
    const answer = await this.#post(at, message);
    await answer.text();
    return answer.status;
  }

  async get(at: number, lastEventId?: string): Promise<EventReader> {
    const headers = this.#headers();
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    return this.#reader(await fetch(this.#url(at), { headers }));
  }

  async delete(at: number): Promise<number> {
    const answer = await fetch(this.#url(at), { method: 'DELETE', headers: this.#headers() });
    await answer.text();
    return answer.status;
  }

  async close(): Promise<void> {
    for (const reader of this.#open) await reader.cancel().catch(() => {});
  }

  #reader(answer: Response): EventReader {
    const reader = new EventReader(answer);
    this.#open.add(reader);
    return reader;
  }

  #post(at: number, message: object): Promise<Response> {
    return fetch(this.#url(at), {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
  }

  #url(at: number): string {
    return `${this.#urls[at % this.#urls.length]}/mcp`;
  }

  #headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.#key}`,
      accept: 'application/json, text/event-stream',
      ...(this.#fresh && { connection: 'close' }),
      ...(this.session !== '' && { 'mcp-session-id': this.session, 'mcp-protocol-version': '2025-11-25' }),
    };
  }
}
