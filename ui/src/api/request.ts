import type { ErrorAnswer, PathNames } from '../../../src/contract/index.js';
import { csrfHeader } from './csrf.js';
import { parseJson, writeJson } from '../shared/exact-json.js';
import { goToSignIn } from './sign-in.js';

/** A failure as the admin API tells it, or the lack of an answer (`unreachable`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    { code, message, details = {} }: ErrorAnswer['error'],
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** A failure that was told in a message; without one, the lack of any. */
export function toApiError(
  error: ErrorAnswer['error'] = { code: 'unreachable', message: 'the connection to the hub was lost' },
): ApiError {
  return new ApiError(0, error);
}

interface AnyRoute {
  readonly method: string;
  readonly path: string;
  readonly types?: { readonly query: unknown; readonly body: unknown; readonly answer: unknown };
}

type Types<Route extends AnyRoute> = NonNullable<Route['types']>;
type Names<Route extends AnyRoute> = PathNames<Route['path']>;

export type Asked<Route extends AnyRoute> = {
  readonly query?: Types<Route>['query'];
  readonly signal?: AbortSignal;
  /** The version that was read: the change is refused if somebody was faster. */
  readonly ifMatch?: string;
} & ([Names<Route>] extends [never] ? object : { readonly names: Readonly<Record<Names<Route>, string>> }) &
  (Types<Route>['body'] extends undefined ? object : { readonly body?: Types<Route>['body'] });

export interface Answered<Answer> {
  readonly body: Answer;
  readonly tag: string | undefined;
}

/** Asks the admin API one thing. */
export async function ask<Route extends AnyRoute>(
  route: Route,
  asked: Asked<Route>,
): Promise<Types<Route>['answer']> {
  return (await askWithTag(route, asked)).body;
}

/** The same, with the version of what was answered. */
export async function askWithTag<Route extends AnyRoute>(
  route: Route,
  asked: Asked<Route>,
): Promise<Answered<Types<Route>['answer']>> {
  const answer = await request(route, asked, 'application/json');
  const text = await answer.text();
  if (!answer.ok) throw toError(answer, text);
  return {
    body: (text === '' ? undefined : parseJson(text)) as Types<Route>['answer'],
    tag: answer.headers.get('etag') ?? undefined,
  };
}

/** Asks for what happens on the way to an answer, message by message. Throws where it does not even begin. */
export async function* askForMessages<Route extends AnyRoute>(
  route: Route,
  asked: Asked<Route>,
): AsyncGenerator {
  const answer = await request(route, asked, 'text/event-stream');
  if (!answer.ok || answer.body === null) throw toError(answer, await answer.text());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const line = block.split('\n').find((each) => each.startsWith('data: '));
        if (line !== undefined) yield parseJson(line.slice('data: '.length));
      }
    }
  } catch (cause) {
    if ((asked as { readonly signal?: AbortSignal }).signal?.aborted === true) throw cause;
    throw new ApiError(0, { code: 'unreachable', message: 'the connection to the hub was lost' }, { cause });
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Asks for what comes line by line, and tells each line as soon as it is there. */
export async function askLines<Route extends AnyRoute>(
  route: Route,
  asked: Asked<Route>,
  onLine: (line: unknown) => void,
): Promise<void> {
  const answer = await request(route, asked, 'application/x-ndjson');
  if (!answer.ok || answer.body === null) throw toError(answer, await answer.text());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') onLine(parseJson(line));
    if (done) return;
  }
}

async function request<Route extends AnyRoute>(
  route: Route,
  asked: Asked<Route>,
  accept: string,
): Promise<Response> {
  const { query, signal, ifMatch, names, body } = asked as {
    readonly query?: object;
    readonly signal?: AbortSignal;
    readonly ifMatch?: string;
    readonly names?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  const method = route.method.toUpperCase();
  return send(addressOf(route.path, names, query), {
    method,
    headers: {
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(method !== 'GET' && (await csrfHeader())),
    },
    ...(body !== undefined && { body: writeJson(body) }),
    ...(signal !== undefined && { signal }),
  });
}

/** Also for links: the browser fetches what they lead to by itself. */
export function addressOf(
  path: string,
  names: Readonly<Record<string, string>> = {},
  query: object = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  ).toString();
  return parameters === '' ? filled : `${filled}?${parameters}`;
}

async function send(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, { ...options, credentials: 'same-origin', cache: 'no-store' });
  } catch (cause) {
    if (options.signal?.aborted === true) throw cause;
    throw new ApiError(0, { code: 'unreachable', message: 'the hub does not answer' }, { cause });
  }
}

function toError(answer: Response, text: string): ApiError {
  if (answer.status === 401) goToSignIn();
  try {
    return new ApiError(answer.status, (JSON.parse(text) as ErrorAnswer).error);
  } catch (cause) {
    return new ApiError(
      answer.status,
      { code: 'unreachable', message: `the answer (HTTP ${answer.status}) is not one of the hub` },
      { cause },
    );
  }
}
