import type { ClientErrorCode, McpClient } from '../../mcp/client/index.js';
import { ProtocolError } from '../../mcp/jsonrpc/index.js';
import type { TransportError } from '../../mcp/transports/index.js';
import { wordOf } from '../../upstreams/index.js';
import { VERSION } from '../version.js';
import type { PublicWay } from './check-address.js';
import {
  adviceForOffer,
  adviceForStatus,
  BROKEN_OFF_ADVICE,
  PAGES_ADVICE,
  PAGE_ADVICE,
  PATH_ADVICE,
  REDIRECT_ADVICE,
  REFUSED_ADVICE,
  SESSION_ADVICE,
  SIZE_ADVICE,
  VERSION_ADVICE,
} from './advice.js';
import { failed, ok, skipped, type Step } from './step.js';

const TOTAL_MS = 20_000;
/** One form of answer under the name of the other. */
const MIXED = new Set<string>(['HTTP_INVALID_BODY', 'INVALID_SSE_EVENT_DATA']);
const OVERSIZED = new Set<string>([
  'HTTP_BODY_TOO_LARGE',
  'SSE_EVENT_DATA_TOO_LARGE',
  'SSE_STREAM_TOO_LARGE',
]);

const ENDLESS = ['the pages of its list lead nowhere', PAGES_ADVICE] as const;
const FORGETFUL = ['it forgets the session that it has just begun', SESSION_ADVICE] as const;
/** What our side made of it, where more is known than that it went wrong. */
const DECISIONS: Readonly<Partial<Record<ClientErrorCode, readonly [detail: string, advice: string]>>> = {
  session_lost: FORGETFUL,
  cursor_repeated: ENDLESS,
  page_limit: ENDLESS,
  timeout: ['no answer in time', 'It takes the request and says nothing: look into its log.'],
};

/** What the server is shown, and who supplies the rest when the connector is there. */
export interface Shown {
  readonly headers: Readonly<Record<string, string>>;
  readonly later: 'sign_in' | 'per_agent' | undefined;
}

/** Speaks MCP with an address, without a credential unless one is given: which era, who may come in, what is offered. */
export async function* checkServer(url: URL, way?: PublicWay, shown?: Shown): AsyncGenerator<Step> {
  const withCredential = shown !== undefined && Object.keys(shown.headers).length > 0;
  const { connect } = await import('../../mcp/client/index.js');
  let client: McpClient | undefined;
  try {
    client = await connect({
      url,
      info: { name: 'crosspoint', title: 'Crosspoint', version: VERSION },
      timeouts: { requestMs: TOTAL_MS / 2, totalMs: TOTAL_MS },
      signal: AbortSignal.timeout(TOTAL_MS),
      ...(way && { dispatcher: way.dispatcher }),
      ...(shown && { headers: shown.headers }),
    });
    const { era, revision, info } = client.server;
    yield ok(
      'era',
      `${era} (${revision}), ${info.name}${info.version === undefined ? '' : ` ${info.version}`}`,
    );
    const { items, rejected } = await client.listTools({});
    yield ok('auth', withCredential ? 'the credential is taken' : 'listing is open to everyone');
    yield ok(
      'list',
      `${items.length} tools${rejected.length > 0 ? `, ${rejected.length} more that cannot be used` : ''}`,
      adviceForOffer(items.length, rejected.length),
    );
  } catch (error) {
    yield await explain(error, { url, connected: client !== undefined, shown });
  } finally {
    await client?.close();
  }
}

interface Attempt {
  readonly url: URL;
  readonly connected: boolean;
  readonly shown: Shown | undefined;
}

async function explain(error: unknown, { url, connected, shown }: Attempt): Promise<Step> {
  const { ClientError } = await import('../../mcp/client/index.js');
  const transports = await import('../../mcp/transports/index.js');
  const step = connected ? 'list' : 'era';
  if (error instanceof ProtocolError) {
    const endpoint = { transport: 'streamable_http', url: url.href } as const;
    const word = wordOf(error, endpoint, shown?.headers ?? {});
    return failed(step, `the server refuses: ${word}`, REFUSED_ADVICE);
  }
  if (
    error instanceof transports.TransportError &&
    (error.code === 'HTTP_UNAUTHORIZED' || error.code === 'HTTP_FORBIDDEN')
  ) {
    return needsCredential(error.status ?? 401, error.challenge, shown);
  }
  if (error instanceof ClientError && error.code === 'incompatible_version') {
    const { supported = [] } = error;
    const spoken = supported.length === 0 ? '' : `: it speaks ${supported.join(', ')}`;
    return failed('era', `no protocol version in common${spoken}`, VERSION_ADVICE);
  }
  if (error instanceof ClientError) {
    const [detail, advice] = DECISIONS[error.code] ?? [];
    if (detail !== undefined && advice !== undefined) return failed(step, detail, advice);
  }
  if (error instanceof transports.TransportError) {
    const told = explainTransport(error, step);
    if (told !== undefined) return told;
  }
  const known = error instanceof transports.TransportError || error instanceof ClientError;
  const what = known
    ? `${error.code}${'status' in error && error.status !== undefined ? `, HTTP ${error.status}` : ''}`
    : 'failed';
  const isPage = known && error.code === 'HTTP_WRONG_CONTENT_TYPE';
  return failed(
    step,
    `the answer is not that of an MCP server (${what})`,
    isPage ? PAGE_ADVICE : PATH_ADVICE,
  );
}

function explainTransport({ status, code }: TransportError, step: Step['step']): Step | undefined {
  // Told already while hands are shaken, by the first of several servers that had no part in the beginning.
  if (code === 'MCP_SESSION_NOT_FOUND') return failed(step, ...FORGETFUL);
  if (status === 404) return failed('http', 'HTTP 404: nothing is at this path', PATH_ADVICE);
  if (status !== undefined && status >= 400)
    return failed('http', `HTTP ${status} to a request of MCP`, adviceForStatus(status));
  if (code === 'HTTP_REDIRECT')
    return failed('http', `HTTP ${status} to a request of MCP: it redirects`, REDIRECT_ADVICE);
  if (code === 'CONNECTION_CLOSED')
    return failed(step, 'it ends the connection without an answer', BROKEN_OFF_ADVICE);
  if (OVERSIZED.has(code)) return failed(step, `the answer is larger than is read (${code})`, SIZE_ADVICE);
  if (MIXED.has(code))
    return failed(
      step,
      `the answer is not what its content type says (${code})`,
      'Event streams must come as text/event-stream and JSON as application/json: the server, or something before it, mixes them up.',
    );
  if (code.startsWith('TIMEOUT'))
    return failed(step, 'no answer in time', 'It takes the request and says nothing: look into its log.');
  return undefined;
}

function needsCredential(status: number, challenge: string | undefined, shown: Shown | undefined): Step {
  const byOauth = challenge !== undefined && /\bresource_metadata=/i.test(challenge);
  const detail = `HTTP ${status}: it wants to know who asks${byOauth ? ', by OAuth' : ''}`;
  if (shown?.later === 'sign_in') return skipped('auth', `${detail}; somebody signs in after it is added`);
  if (shown?.later === 'per_agent') return skipped('auth', `${detail}; each agent brings its own credential`);
  if (shown !== undefined && Object.keys(shown.headers).length > 0)
    return failed(
      'auth',
      `HTTP ${status}: the credential is refused`,
      byOauth
        ? 'The server asks for a sign-in by OAuth: choose that instead.'
        : 'Look whether it is copied whole, has not ended, and may list tools.',
    );
  return failed(
    'auth',
    detail,
    byOauth
      ? 'Choose OAuth for it (on the command line: --oauth).'
      : 'Give it a token, key or header (on the command line: --bearer-env, --api-key-env or --header).',
  );
}
