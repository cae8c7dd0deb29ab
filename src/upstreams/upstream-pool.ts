import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import { HubError, type AgentId, type Clock, type ConnectorId, type Logger } from '../kernel/index.js';
import { createMemoryVerdicts, type McpClient } from '../mcp/client/index.js';
import type { Implementation } from '../mcp/model/index.js';
import { ASK_EVERYTHING, ASK_NOTHING, withoutRoots, type AskProfile } from './ask-profile.js';
import { openWaysOut, type WaysOut } from './ways-out.js';
import { openClient } from './open-client.js';
import { probeHttp } from './probe-http.js';
import { StderrTail } from './stderr-tail.js';
import { Turnstile } from './turnstile.js';
import { toHubError, toOpenFailure } from './upstream-failure.js';
import { toUpstream } from './to-upstream.js';
import { NotWatchable, WatchedResources, type ResourceWatcher } from './watched-resources.js';
import type { Caller, Lease, Upstream, Upstreams } from './upstream.js';

export interface UpstreamPoolOptions {
  readonly info: Implementation;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An upstream told that its list changed. */
  readonly onListChanged?: (connector: ConnectorId) => void;
  /** An upstream asked something that was put to nobody. */
  readonly onQuestionRefused?: (question: {
    readonly connector: ConnectorId;
    readonly method: string;
    readonly reason: 'unattributed' | 'undeclared';
  }) => void;
}

interface Member {
  readonly connector: Connector;
  readonly opening: AbortController;
  readonly client: Promise<McpClient>;
  upstream: Upstream | undefined;
  leases: number;
  lastUsed: number;
  listens: boolean;
  watched: WatchedResources | undefined;
}

const SWEEP_MS = 15_000;
const HTTP_IDLE_MS = 300_000;

/** What belongs to a connector as a whole, whoever uses it. */
interface Shared {
  readonly connector: Connector;
  readonly turnstile: Turnstile;
  readonly egress: WaysOut | undefined;
  readonly stderr: StderrTail;
  /** Why the last attempt to open a conversation failed; cleared by one that succeeds. */
  failure: HubError | undefined;
  /** Whether a conversation settles at its beginning what may be asked in it. Unknown until there was one. */
  agreesOnce: boolean | undefined;
}

export function createUpstreamPool(options: UpstreamPoolOptions): Upstreams {
  return new UpstreamPool(options);
}

class UpstreamPool implements Upstreams {
  readonly #options: UpstreamPoolOptions;
  readonly #members = new Map<string, Member>();
  readonly #shared = new Map<ConnectorId, Shared>();
  readonly #verdicts = createMemoryVerdicts();
  readonly #sweep: NodeJS.Timeout;
  #perCall = 0;
  #closed = false;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  async open(connector: Connector, access: Access, caller: Caller): Promise<Lease> {
    const common = this.#sharedOf(connector);
    const turn = common.turnstile.enter(() => caller.signal);
    if (turn !== undefined) {
      await turn;
      if (this.#shared.get(connector.id) !== common) {
        common.turnstile.leave();
        throw changed(connector);
      }
    }
    const profile = profileFor(connector, caller, common);
    const key = `${keyOf(connector, access, caller, () => this.#perCall++)}\n${profile.key}`;
    let member = this.#members.get(key);
    try {
      if (member === undefined)
        this.#members.set(key, (member = this.#start(connector, access, common, profile)));
      member.leases++;
      member.upstream ??= toUpstream(await member.client, connector);
      common.failure = undefined;
      return this.#lease(key, member, common.turnstile);
    } catch (error) {
      // Whoever waited for the same attempt fails too; a newer one that somebody began meanwhile is not ours to forget.
      if (this.#members.get(key) === member) this.#members.delete(key);
      common.turnstile.leave();
      throw (common.failure = toOpenFailure(error, connector));
    }
  }

  async watch(
    connector: Connector,
    access: Access,
    principal: AgentId,
    uri: string,
    watcher: ResourceWatcher,
  ): Promise<() => void> {
    const common = this.#sharedOf(connector);
    const profile = profileFor(connector, { principal }, common);
    const key = `${watchKeyOf(connector, access, principal)}\n${profile.key}`;
    let member = this.#members.get(key);
    try {
      if (member === undefined)
        this.#members.set(key, (member = this.#start(connector, access, common, profile)));
      const client = await member.client;
      const watched = (member.watched ??= new WatchedResources(client));
      await watched.join(uri, watcher);
      return () => watched.leave(uri, watcher);
    } catch (error) {
      if (error instanceof NotWatchable)
        throw new HubError('not_supported', `connector ${connector.id}: ${error.message}`);
      if (
        member?.upstream === undefined &&
        member?.watched === undefined &&
        this.#members.get(key) === member
      )
        this.#members.delete(key);
      throw toHubError(error, connector);
    }
  }

  async drop(connector: string): Promise<void> {
    const gone = [...this.#members].filter(([, member]) => member.connector.id === connector);
    for (const [key] of gone) this.#members.delete(key);
    const common = this.#shared.get(connector as ConnectorId);
    this.#shared.delete(connector as ConnectorId);
    await Promise.all(gone.map(([, member]) => close(member)));
    await common?.egress?.close();
  }

  async probe(connector: Connector, timeoutMs: number): Promise<void> {
    const { egress, failure } = this.#sharedOf(connector);
    if (connector.endpoint.transport !== 'stdio' && egress !== undefined)
      return probeHttp(connector, connector.endpoint.url, egress.dispatcher, timeoutMs);
    if (failure !== undefined) throw failure;
  }

  recentStderr(connector: ConnectorId): readonly string[] {
    return this.#shared.get(connector)?.stderr.lines() ?? [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    // What is still being opened is not waited for.
    for (const { opening } of this.#members.values()) opening.abort();
    await Promise.all([...this.#shared.keys()].map((connector) => this.drop(connector)));
  }

  #sharedOf(connector: Connector): Shared {
    // Whoever comes back to try again must not begin anew what nobody would end.
    if (this.#closed) throw new HubError('shutting_down', 'the hub is shutting down');
    const known = this.#shared.get(connector.id);
    if (known?.connector === connector) return known;
    if (known !== undefined && known.connector.updatedAt > connector.updatedAt) throw changed(connector);
    if (known !== undefined) void this.drop(connector.id);
    const created: Shared = {
      connector,
      turnstile: new Turnstile(connector.id, { ...connector.limits, waitMs: connector.timeouts.requestMs }),
      egress: openWaysOut(connector),
      stderr: new StderrTail(),
      failure: undefined,
      agreesOnce: undefined,
    };
    this.#shared.set(connector.id, created);
    return created;
  }

  #start(connector: Connector, access: Access, common: Shared, profile: AskProfile): Member {
    const { egress, stderr } = common;
    const { info, clock, logger, onQuestionRefused } = this.#options;
    const log = logger.child({ connector: connector.id });
    const opening = new AbortController();
    const client = openClient(connector, access, {
      signal: opening.signal,
      info,
      profile,
      lines: egress?.lines,
      verdicts: this.#verdicts,
      onStderr: (line) => stderr.push(line),
      onNobody: ({ method }) =>
        onQuestionRefused?.({ connector: connector.id, method, reason: 'unattributed' }),
      onWarning: ({ code, message, method }) => {
        log.debug({ code }, message);
        if (method !== undefined)
          onQuestionRefused?.({ connector: connector.id, method, reason: 'undeclared' });
      },
    });
    const member: Member = {
      connector,
      opening,
      client,
      upstream: undefined,
      leases: 0,
      lastUsed: clock.monotonic(),
      listens: false,
      watched: undefined,
    };
    void client
      .then((opened) => {
        common.agreesOnce = opened.server.era === 'legacy';
        return this.#hearOfChanges(opened, member);
      })
      .catch(() => (member.listens = false));
    return member;
  }

  /** One conversation per connector hears when lists change. It stays open for that, however idle it is. */
  async #hearOfChanges(client: McpClient, member: Member): Promise<void> {
    const { onListChanged } = this.#options;
    const { tools, prompts, resources } = client.server.capabilities;
    const filter = {
      ...(tools?.listChanged === true && { toolsListChanged: true }),
      ...(prompts?.listChanged === true && { promptsListChanged: true }),
      ...(resources?.listChanged === true && { resourcesListChanged: true }),
    };
    const { connector } = member;
    const taken = [...this.#members.values()].some((other) => other.listens && other.connector === connector);
    if (onListChanged === undefined || taken || Object.keys(filter).length === 0) return;
    member.listens = connector.endpoint.transport !== 'stdio';
    await client.subscribe(filter, () => onListChanged(connector.id));
  }

  #lease(key: string, member: Member, turnstile: Turnstile): Lease {
    let released = false;
    let resting = 0;
    return {
      upstream: member.upstream as Upstream,
      rest: async (work) => {
        if (resting++ === 0 && !released) turnstile.leave();
        try {
          return await work();
        } finally {
          if (--resting === 0 && !released) turnstile.rejoin();
        }
      },
      release: () => {
        if (released) return;
        released = true;
        member.leases--;
        member.lastUsed = this.#options.clock.monotonic();
        if (resting === 0) turnstile.leave();
        if (member.connector.isolation === 'per_call') this.#end(key, member);
      },
    };
  }

  #end(key: string, member: Member): void {
    this.#members.delete(key);
    void close(member);
  }

  #endIdle(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, member] of this.#members) {
      const { endpoint } = member.connector;
      const idleMs = endpoint.transport === 'stdio' ? endpoint.idleStopMs : HTTP_IDLE_MS;
      const watches = member.watched?.isIdle === false;
      if (watches) member.watched?.check();
      if (member.leases === 0 && !member.listens && !watches && idleMs > 0 && now - member.lastUsed > idleMs)
        this.#end(key, member);
    }
  }
}

async function close(member: Member): Promise<void> {
  member.watched?.end();
  try {
    await (await member.client).close();
  } catch {
    // A conversation that never stood, or is gone already.
  }
}

/** For whoever still holds the description of before: it must not end what goes on under the new one. */
function changed({ id }: Connector): HubError {
  return new HubError('upstream_closed', `connector ${id} was changed meanwhile; call again`);
}

/**
 * What may be asked in the conversation of a caller. Where that is settled at the beginning, callers with different
 * abilities have different conversations: the upstream must not offer one what only the other can take part in.
 */
function profileFor(connector: Connector, { principal, asks }: Caller, { agreesOnce }: Shared): AskProfile {
  const { isolation, endpoint } = connector;
  if (agreesOnce === false) return ASK_NOTHING;
  const ofProcess =
    endpoint.transport === 'stdio' && (isolation === 'shared' || isolation === 'per_principal');
  // A process is one for many, and lists are read for everybody: all of it is declared, and refused where it does not fit.
  const wide = ofProcess || principal === 'hub' ? ASK_EVERYTHING : (asks ?? ASK_NOTHING);
  return isolation === 'shared' ? withoutRoots(wide) : wide;
}

/** In which conversation resources are watched. A process is not started for that where one serves the same callers. */
function watchKeyOf({ id, isolation, endpoint }: Connector, access: Access, principal: AgentId): string {
  const base = `${id}\n${access.id}`;
  if (isolation === 'shared') return base;
  return endpoint.transport === 'stdio' ? `${base}\n${principal}` : `${base}\n\nwatch`;
}

/** Whose conversation it is. Nobody shares one across credentials. */
function keyOf(
  connector: Connector,
  access: Access,
  { principal, session }: Caller,
  unique: () => number,
): string {
  const base = `${connector.id}\n${access.id}`;
  switch (connector.isolation) {
    case 'shared':
      return base;
    case 'per_principal':
      return `${base}\n${principal}`;
    case 'per_session':
      return `${base}\n${principal}\n${session ?? ''}`;
    case 'per_call':
      return `${base}\n${principal}\n#${unique()}`;
  }
}
