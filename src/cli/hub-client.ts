import { Agent, request, type Dispatcher } from 'undici';
import {
  ADMIN_BASE_PATH,
  errorAnswer,
  MAX_PAGE,
  type AdminRoute,
  type PathNames,
} from '../contract/index.js';
import { isObject, parseJson, stringifyJson, TOLERANT_JSON } from '../mcp/jsonrpc/index.js';
import { CliError } from './cli-error.js';
import { EXIT_USAGE, isUsage } from './exit-codes.js';
import type { HubAddress } from './hub-address.js';

type PathPart<Path extends string> = [PathNames<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Readonly<Record<PathNames<Path>, string>> };

/** What a route is asked with. */
export type Question<Path extends string, Query, Body> = PathPart<Path> & {
  readonly query?: Query;
  readonly body?: Body;
  readonly timeoutMs?: number;
};

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const CONNECT_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** The admin API, typed by its contract. Failures are `CliError`s whose `code` is the hub's. */
export class HubClient {
  readonly #address: HubAddress;
  // Times are limited by signals: some questions take long.
  readonly #dispatcher = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 });

  constructor(address: HubAddress) {
    this.#address = address;
  }

  get url(): string {
    return this.#address.url;
  }

  async ask<Path extends string, Query, Body, Answer>(
    route: AdminRoute<Path, Query, Body, Answer>,
    question: Question<Path, Query, Body>,
  ): Promise<Answer> {
    const { path = {}, query, body, timeoutMs = DEFAULT_TIMEOUT_MS } = question;
    const response = await this.#send(route.method, `${fillPath(route.path, path)}${toQuery(query)}`, {
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: stringifyJson(body) }),
    });
    const answer = await readAnswer(response, this.#address);
    requireKnownAnswer(route, answer);
    return answer as Answer;
  }

  /** All pages of a list, or as many items as wanted. */
  async list<Path extends string, Query, Item>(
    route: AdminRoute<Path, Query, undefined, Page<Item>>,
    question: Question<Path, Query, undefined>,
    atMost: number = Number.POSITIVE_INFINITY,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(MAX_PAGE, atMost - items.length);
      const query = { ...question.query, limit, ...(cursor !== undefined && { cursor }) } as Query;
      const page: Page<Item> = await this.ask(route, { ...question, query });
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined && items.length < atMost);
    return items;
  }

  /** The bytes of an event stream, until it or `signal` ends. */
  async stream(
    { method, path }: Pick<AdminRoute, 'method' | 'path'>,
    query: object,
    options: { readonly lastEventId?: string; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send(method, `${path}${toQuery(query)}`, {
      accept: 'text/event-stream',
      ...options,
    });
    if (response.statusCode !== 200) await readAnswer(response, this.#address);
    return response.body;
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  /** What keeps the hub from serving, in its own words; nothing where all is well. */
  async failingChecks(): Promise<readonly string[]> {
    const response = await this.#request('GET', '/ready', {
      signal: AbortSignal.timeout(DEFAULT_TIMEOUT_MS),
    });
    const answer = parseJson(await response.body.text(), TOLERANT_JSON);
    const checks = isObject(answer) && Array.isArray(answer['checks']) ? answer['checks'] : [];
    return checks.flatMap((check: unknown) => {
      if (!isObject(check) || check['ok'] !== false) return [];
      const { reason } = check;
      return [typeof reason === 'string' ? reason : 'it does not say why: look into its log'];
    });
  }

  #send(
    method: AdminRoute['method'],
    target: string,
    options: SendOptions,
  ): Promise<Dispatcher.ResponseData> {
    return this.#request(METHODS[method], ADMIN_BASE_PATH + target, options);
  }

  async #request(
    method: Dispatcher.HttpMethod,
    target: string,
    options: SendOptions,
  ): Promise<Dispatcher.ResponseData> {
    const { signal, accept = 'application/json', body, lastEventId } = options;
    try {
      return await request(`${this.#address.url}${target}`, {
        dispatcher: this.#dispatcher,
        method,
        headers: {
          authorization: `Bearer ${this.#address.token}`,
          accept,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        body: body ?? null,
        signal,
      });
    } catch (error) {
      throw toCliError(error, this.#address);
    }
  }
}

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

interface SendOptions {
  readonly signal: AbortSignal;
  readonly body?: string;
  readonly accept?: string;
  readonly lastEventId?: string;
}

function fillPath(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
}

function toQuery(query: unknown): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

async function readAnswer(
  { statusCode, body }: Dispatcher.ResponseData,
  address: HubAddress,
): Promise<unknown> {
  let text: string;
  try {
    text = await readText(body);
  } catch (error) {
    throw toCliError(error, address);
  }
  if (statusCode === 204 || (text === '' && statusCode < 300)) return undefined;
  let answer: unknown;
  try {
    answer = parseJson(text, TOLERANT_JSON);
  } catch {
    throw notAHub(address, `HTTP ${statusCode}`);
  }
  if (statusCode < 300) return answer;
  const refusal = errorAnswer.safeParse(answer);
  if (!refusal.success) throw notAHub(address, `HTTP ${statusCode}`);
  const { code, message, details } = refusal.data.error;
  throw new CliError(message, {
    code,
    ...(isUsage(code, details) && { exitCode: EXIT_USAGE }),
    ...(details !== undefined && { details }),
    ...(statusCode === 401 && {
      hint: `The hub did not accept the token from ${address.tokenSource}. Put its admin token in CROSSPOINT_ADMIN_TOKEN.`,
    }),
  });
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new CliError('the answer of the hub is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A newer hub may tell more than we know of; what we know must be there. */
function requireKnownAnswer({ id, answer: shape }: Pick<AdminRoute, 'id' | 'answer'>, answer: unknown): void {
  const problem = shape?.safeParse(answer).error?.issues.find(({ code }) => code !== 'unrecognized_keys');
  if (problem === undefined) return;
  const where = problem.path.join('.') || 'the answer';
  throw new CliError(
    `the hub answered ${id} with something this version does not know (${where}: ${problem.message})`,
    {
      hint: 'Use the same version of crosspoint for the hub and the command line.',
    },
  );
}

function notAHub({ url }: HubAddress, answer: string): CliError {
  return new CliError(`${url} does not answer like a hub (${answer})`, {
    code: 'not_a_hub',
    hint: 'Look whether the address is that of a running hub, without a path.',
  });
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function toCliError(error: unknown, { url }: HubAddress): CliError {
  if (error instanceof CliError) return error;
  const { name, code } = error as { readonly name?: string; readonly code?: string };
  if (name === 'TimeoutError')
    return new CliError(`the hub at ${url} did not answer in time`, { code: 'timeout', cause: error });
  if (code !== undefined && UNREACHABLE.has(code)) {
    return new CliError(`the hub is not running at ${url}`, {
      code: 'hub_not_running',
      hint: 'Start it with "crosspoint serve", or name another one with --url.',
      cause: error,
    });
  }
  return new CliError(`the connection to the hub at ${url} broke`, { code: 'connection_lost', cause: error });
}
