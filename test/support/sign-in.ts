import type { TestHub } from './start-hub.js';

interface AdminSession {
  readonly admin: { readonly id: string; readonly role: string };
  readonly session: { readonly csrfToken: string };
}

/** A browser without a window: it keeps cookies, says where its forms come from, and follows nothing by itself. */
export class FormBrowser {
  readonly #hub: Pick<TestHub, 'url'>;
  readonly #cookies = new Map<string, string>();

  constructor(hub: Pick<TestHub, 'url'>) {
    this.#hub = hub;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(text: string) {
    this.#cookies.clear();
    for (const pair of text.split('; ').filter((one) => one !== '')) this.#keep(pair);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(path, { headers });
  }

  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.#send(path, {
      method: 'POST',
      headers: { origin: this.#hub.url, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams(fields),
    });
  }

  /** The token hidden in the form of a page. */
  async csrfOf(path: string): Promise<string> {
    const page = await (await this.get(path)).text();
    return /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  }

  /** Whom the hub takes it for: an admin with a role, or an agent; undefined: nobody. */
  async whoIs(): Promise<string | undefined> {
    const session = await this.#session();
    if (session !== undefined) return `${session.admin.id} (${session.admin.role})`;
    const start = await this.get('/');
    if (start.status !== 200) return undefined;
    return /<h1>Signed in as ([^<]+)<\/h1>/.exec(await start.text())?.[1];
  }

  /** What a signed-in admin has to send back with every form. */
  async csrf(): Promise<string> {
    return (await this.#session())?.session.csrfToken ?? '';
  }

  async #session(): Promise<AdminSession | undefined> {
    const answer = await this.get('/api/v1/session');
    return answer.status === 200 ? ((await answer.json()) as AdminSession) : undefined;
  }

  async #send(
    path: string,
    init: {
      readonly method?: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: URLSearchParams;
    },
  ): Promise<Response> {
    const cookie = this.cookie;
    const response = await fetch(new URL(path, this.#hub.url), {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie !== '' && { cookie }), ...init.headers },
    });
    for (const given of response.headers.getSetCookie()) this.#keep(given);
    return response;
  }

  #keep(given: string): void {
    const [pair = '', ...attributes] = given.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
