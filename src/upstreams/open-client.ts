import type { Connector, Endpoint } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import {
  connect,
  DEFAULT_TIMEOUTS,
  type ClientHooks,
  type EraVerdicts,
  type KnownSchema,
  type StandingStream,
  type McpClient,
} from '../mcp/client/index.js';
import type { Implementation } from '../mcp/model/index.js';
import { ASK_NOTHING, type AskProfile } from './ask-profile.js';
import { concealing } from './concealing-transport.js';
import type { RecentCallers } from './recent-callers.js';
import { unattributed, type OnNobody } from './input-routing.js';
import { ShownSecrets } from './shown-secrets.js';
import {
  LegacySseTransport,
  StdioTransport,
  StreamableHttpTransport,
  type BrokenPin,
  type HttpLines,
  type ProcessMark,
  type Transport,
} from '../mcp/transports/index.js';

export interface ClientParts extends ClientHooks {
  readonly info: Implementation;
  /** What can be asked in this conversation, where that is settled at its beginning. */
  readonly profile: AskProfile;
  readonly lines: HttpLines | undefined;
  readonly verdicts: EraVerdicts;
  readonly standingStream: StandingStream;
  readonly knownSchema: KnownSchema;
  readonly onStderr: (line: string) => void;
  /** Gives up opening; means nothing to a conversation that stands. */
  readonly signal: AbortSignal;
  readonly onNobody: OnNobody;
  /** Where answers can overtake questions. */
  readonly recent: RecentCallers | undefined;
  readonly processes: ProcessWatch;
}

/** Decides when a process may be started, and hears when one ends unbidden. */
export interface ProcessWatch {
  /** Throws where none may be started now. */
  starting(): void;
  ended(reason: string): void;
  /** None was started: a file is not what it is pinned to. */
  pinBroken(pin: BrokenPin): void;
  /** Returns what is called when nothing is left of it. */
  readonly started: ((child: ProcessMark) => () => void) | undefined;
  /** Where it runs, if its connector does not say. */
  readonly folder: (() => ProcessFolder | undefined) | undefined;
}

export interface ProcessFolder {
  readonly path: string;
  /** Nothing is left of the process. */
  release(): void;
}

/** How much longer the transport waits than the client. */
const CLIENT_FIRST_MS = 1_000;

/** A conversation with the upstream behind a connector, as the holder of `access`. */
export function openClient(connector: Connector, access: Access, parts: ClientParts): Promise<McpClient> {
  const { requestMs, totalMs } = connector.timeouts;
  const { onStderr: _, lines: __, processes: ___, profile, onNobody, recent, ...options } = parts;
  const secrets = new ShownSecrets(connector, access);
  return connect({
    ...options,
    capabilities: profile.capabilities,
    requestCapabilities: ASK_NOTHING.capabilities,
    handlers: unattributed(onNobody, recent),
    // How often is for the connector to say, and one place looks to it.
    repeatReads: false,
    // Forms are filled in by whoever was asked, not on the way.
    formDefaults: false,
    transport: () => concealing(createTransport(connector, access, parts), secrets),
    ...(connector.endpoint.transport === 'streamable_http' && {
      fallback: () => concealing(createLegacySse(connector, access, parts), secrets),
    }),
    era: connector.endpoint.transport === 'sse' ? 'legacy' : connector.era,
    verdictKey: connector.id,
    // Calls may become tasks, also of callers that know nothing of them; then the end is waited for as long as for a call.
    tasks: true,
    timeouts: { requestMs, totalMs, taskMs: totalMs },
  });
}

function createTransport(connector: Connector, access: Access, parts: ClientParts): Transport {
  const { endpoint } = connector;
  switch (endpoint.transport) {
    case 'stdio':
      return createProcess(connector, endpoint, parts);
    case 'sse':
      return createLegacySse(connector, access, parts);
    case 'streamable_http':
      return new StreamableHttpTransport(httpOptions(connector, endpoint.url, access, parts));
  }
}

function createProcess(
  { limits }: Connector,
  { command, args, env, cwd, pins }: Extract<Endpoint, { transport: 'stdio' }>,
  { processes, onStderr }: ClientParts,
): Transport {
  processes.starting();
  const folder = cwd === undefined ? processes.folder?.() : { path: cwd, release() {} };
  const { memoryBytes, cpuSeconds, processes: descendants } = limits;
  const isLimited = memoryBytes + cpuSeconds + descendants > 0;
  return new StdioTransport({
    command,
    args,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.reveal()])),
    ...(folder && { cwd: folder.path, onGone: () => folder.release() }),
    ...(Object.keys(pins).length > 0 && { pins, onPinBroken: (pin) => processes.pinBroken(pin) }),
    limits: { lineBytes: limits.responseBytes },
    ...(isLimited && { usage: { memoryBytes, cpuSeconds, processes: descendants } }),
    onStderr,
    onTalk: (text) => onStderr(`on stdout, where only messages belong: ${text}`),
    onEnded: ({ message }) => {
      // Whoever looks at what it said last learns why it said no more.
      onStderr(message);
      processes.ended(message);
    },
    ...(processes.started && { onStarted: processes.started }),
  });
}

function createLegacySse(connector: Connector, access: Access, parts: ClientParts): Transport {
  const url = connector.endpoint.transport === 'stdio' ? '' : connector.endpoint.url;
  return new LegacySseTransport(httpOptions(connector, url, access, parts));
}

function httpOptions(connector: Connector, url: string, access: Access, { lines }: ClientParts) {
  const { connectMs } = connector.timeouts;
  const totalMs = connector.timeouts.totalMs + DEFAULT_TIMEOUTS.inputMs;
  const { responseBytes, sseReconnects } = connector.limits;
  return {
    url: new URL(url),
    headers: () => access.headers,
    limits: { responseBytes, sseReconnects },
    // The client decides when a call has taken too long: it alone can take the call back, and knows whom it waits for.
    timeouts: { connectMs, firstByteMs: totalMs, idleMs: totalMs, totalMs: totalMs + CLIENT_FIRST_MS },
    ...(lines && { dispatcher: lines }),
  };
}
