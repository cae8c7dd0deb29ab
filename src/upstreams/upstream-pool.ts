import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import { HubError, isHubError, type AgentId, type ConnectorId } from '../kernel/index.js';
import { createMemoryVerdicts } from '../mcp/client/index.js';
import type { AskProfile } from './ask-profile.js';
import { trafficOf } from './connector-gate.js';
import { ConnectorResources } from './connector-resources.js';
import { identityOf, keyOf, profileFor, watchKeyOf, wishOf } from './conversation-key.js';
import { ownerOf, requireThere, watcherOf } from './conversation-owner.js';
import { hearWarnings } from './hear-warnings.js';
import { ListListening } from './list-listening.js';
import { openClient } from './open-client.js';
import { close, createMember, isSuperseded, judgeAge, vitalsOf, type Member } from './pool-member.js';
import type { UpstreamPoolOptions } from './pool-options.js';
import { PoolLease, type LeaseKeeper } from './pool-lease.js';
import { probeHttp } from './probe-http.js';
import { RecentCallers } from './recent-callers.js';
import { connectorChanged, toHubError, toOpenFailure } from './upstream-failure.js';
import { toUpstream } from './to-upstream.js';
import { NotWatchable, WatchedResources, type ResourceWatcher } from './watched-resources.js';
import { UpstreamPaused } from './upstream-paused.js';
import type { Caller, Lease, UpstreamChange, Upstreams, UpstreamState, Watching } from './upstream.js';

const SWEEP_MS = 1_000;

export function createUpstreamPool(options: UpstreamPoolOptions): Upstreams {
  return new UpstreamPool(options);
}

class UpstreamPool implements Upstreams, LeaseKeeper {
  readonly #options: UpstreamPoolOptions;
  readonly #members = new Map<string, Member>();
  readonly #retired = new Set<Member>();
  readonly #shared = new Map<ConnectorId, ConnectorResources>();
  readonly #verdicts = createMemoryVerdicts();
  readonly #listening: ListListening;
  readonly #sweep: NodeJS.Timeout;
  #perCall = 0;
  #closed = false;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
    this.#listening = new ListListening(this.#members, options.onListChanged);
    this.#sweep = setInterval(() => this.#endIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  requireRoom({ id }: Connector, principal: string): void {
    this.#shared.get(id)?.gate.requireRoom(principal);
  }

  open(connector: Connector, access: Access, caller: Caller): Lease | Promise<Lease> {
    const common = this.#sharedOf(connector);
    const turn = common.gate.enter(caller);
    return turn === undefined
      ? this.#join(common, access, caller)
      : this.#joinAfter(turn, common, access, caller);
  }

  async #joinAfter(
    turn: Promise<void>,
    common: ConnectorResources,
    access: Access,
    caller: Caller,
  ): Promise<Lease> {
    const { connector, gate } = common;
    await turn;
    if (this.#shared.get(connector.id) === common) return this.#join(common, access, caller);
    gate.leave();
    throw connectorChanged(connector);
  }

  /** For whoever has its turn. At once where the conversation stands. */
  #join(common: ConnectorResources, access: Access, caller: Caller): Lease | Promise<Lease> {
    const { connector } = common;
    const profile = profileFor(connector, caller, common);
    const key = `${keyOf(connector, access, caller, this.#unique)}\n${profile.key}`;
    const member = this.#members.get(key);
    if (member?.upstream === undefined) return this.#joinNew(key, member, common, access, caller, profile);
    member.leases++;
    common.failure = undefined;
    return new PoolLease(this, key, member, member.upstream, caller);
  }

  async #joinNew(
    key: string,
    begun: Member | undefined,
    common: ConnectorResources,
    access: Access,
    caller: Caller,
    profile: AskProfile,
  ): Promise<Lease> {
    const { connector, gate } = common;
    let member = begun;
    try {
      if (member === undefined) {
        requireThere(caller, connector);
        this.#members.set(key, (member = this.#start(common, access, caller, profile)));
      }
      member.leases++;
      member.upstream ??= toUpstream(await member.client, connector, vitalsOf(member), access);
      common.failure = undefined;
      return new PoolLease(this, key, member, member.upstream, caller);
    } catch (error) {
      // Whoever waited for the same attempt fails too; a newer one that somebody began meanwhile is not ours to forget.
      if (this.#members.get(key) === member) this.#members.delete(key);
      else if (member !== undefined) this.#retired.delete(member);
      gate.leave();
      if (error instanceof UpstreamPaused || isHubError(error, 'cancelled')) throw error;
      throw (common.failure = toOpenFailure(error, connector, access.headers));
    }
  }

  readonly #unique = (): number => this.#perCall++;

  async watch(
    connector: Connector,
    access: Access,
    watching: Watching,
    uri: string,
    watcher: ResourceWatcher,
  ): Promise<() => void> {
    const common = this.#sharedOf(connector);
    const caller = watcherOf(connector, watching);
    const { asks } = caller;
    const profile = profileFor(connector, { principal: watching.principal, asks }, common);
    const key = `${watchKeyOf(connector, access, watching)}\n${profile.key}`;
    let member = this.#members.get(key);
    try {
      if (member === undefined)
        this.#members.set(key, (member = this.#start(common, access, caller, profile)));
      const client = await member.client;
      const watched = (member.watched ??= new WatchedResources(client));
      await watched.join(uri, watcher);
      return () => watched.leave(uri, watcher);
    } catch (error) {
      if (error instanceof NotWatchable)
        throw new HubError('not_supported', `connector ${connector.id}: ${error.message}`);
      const isUnused = member?.upstream === undefined && member?.watched === undefined;
      if (isUnused && this.#members.get(key) === member) this.#members.delete(key);
      throw toHubError(error, connector, access.headers);
    }
  }

  retire(connector: string): void {
    for (const [key, member] of this.#membersOf(connector)) this.#retire(key, member);
    void this.#leave(connector)
      ?.retire()
      .catch(() => {});
  }

  async drop(connector: string): Promise<void> {
    const gone = this.#membersOf(connector);
    for (const [key] of gone) this.#members.delete(key);
    const retired = [...this.#retired].filter((member) => member.connector.id === connector);
    const common = this.#leave(connector);
    await Promise.all([...gone.map(([, member]) => member), ...retired].map((member) => close(member)));
    await common?.retire();
  }

  #membersOf(connector: string): readonly (readonly [string, Member])[] {
    return [...this.#members].filter(([, member]) => member.connector.id === connector);
  }

  /** Whoever comes next has its own. */
  #leave(connector: string): ConnectorResources | undefined {
    const common = this.#shared.get(connector as ConnectorId);
    this.#shared.delete(connector as ConnectorId);
    if (common !== undefined) this.#options.gates?.gone(common.gate);
    return common;
  }

  owners(): ReadonlySet<AgentId> {
    return new Set([...this.#members.values()].flatMap(({ owner }) => owner ?? []));
  }

  endAllOf(owner: AgentId, session?: string): void {
    for (const [key, member] of this.#members)
      if (member.owner === owner && (session ?? member.session) === member.session) this.#retire(key, member);
  }

  async probe(connector: Connector, timeoutMs: number): Promise<void> {
    const { egress, failure, gate, startsFailed } = this.#sharedOf(connector);
    if (gate.isSilent) throw gate.paused();
    if (connector.endpoint.transport !== 'stdio' && egress !== undefined) {
      await probeHttp(connector, connector.endpoint.url, egress.lines, timeoutMs);
      if (gate.isOpen) gate.alive();
      return;
    }
    const reason = startsFailed ?? failure;
    if (reason !== undefined) throw reason;
  }

  stateOf(connector: ConnectorId): UpstreamState {
    const conversations = this.#membersOf(connector).length;
    return { ...trafficOf(this.#shared.get(connector)?.gate), conversations };
  }

  recentStderr(connector: ConnectorId): readonly string[] {
    return this.#shared.get(connector)?.stderr.lines() ?? [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    // What is still being opened is not waited for.
    for (const { opening } of this.#members.values()) opening.abort();
    const retired = [...this.#retired].map(({ connector }) => connector.id);
    await Promise.all([...new Set([...this.#shared.keys(), ...retired])].map((id) => this.drop(id)));
  }

  #sharedOf(connector: Connector): ConnectorResources {
    // Whoever comes back to try again must not begin anew what nobody would end.
    if (this.#closed) throw new HubError('shutting_down', 'the hub is shutting down');
    const known = this.#shared.get(connector.id);
    if (known?.connector === connector) return known;
    if (known !== undefined && known.connector.updatedAt > connector.updatedAt)
      throw connectorChanged(connector);
    if (known !== undefined) this.retire(connector.id);
    const { clock, gates } = this.#options;
    const tell = (change: UpstreamChange): void => this.#changed(change);
    const created = new ConnectorResources(connector, clock, tell, gates);
    this.#shared.set(connector.id, created);
    return created;
  }

  #changed(change: UpstreamChange): void {
    // A process that does not answer is not waited for: whoever tries next begins with a new one.
    if (change.type === 'breaker_opened' && change.connector.endpoint.transport === 'stdio')
      for (const [key, member] of this.#members)
        if (member.connector === change.connector && member.silent > 0) void this.#end(key, member);
    this.#options.onChange?.(change);
  }

  #start(common: ConnectorResources, access: Access, caller: Caller, profile: AskProfile): Member {
    const { connector, egress, stderr } = common;
    const { info, clock, schemaOf, onQuestionRefused, onProcess, folderFor } = this.#options;
    const opening = new AbortController();
    const identity = identityOf(connector, access, caller.principal);
    const isProcess = connector.endpoint.transport === 'stdio';
    let stands = false;
    if (isProcess) common.startsOf(identity).require(wishOf(caller));
    // On a pipe everything comes in the order in which it was sent.
    const recent = isProcess ? undefined : new RecentCallers(clock);
    const client = openClient(connector, access, {
      signal: opening.signal,
      info,
      profile,
      lines: egress?.lines,
      verdicts: this.#verdicts,
      standingStream: common.standingStream,
      knownSchema: (tool) => schemaOf?.(connector.id, tool),
      recent,
      onStderr: (line) => stderr.push(line),
      onNobody: ({ method }) =>
        onQuestionRefused?.({ connector: connector.id, method, reason: 'unattributed' }),
      onWarning: hearWarnings(connector, this.#options, () => this.#replace(member)),
      // Opening may take several processes, to find out what is spoken; it counts as a whole.
      processes: {
        starting: () => stands && common.startsOf(identity).require('caller'),
        ended: (reason) => stands && this.#processEnded(member, identity, reason),
        pinBroken: (pin) => common.pinBroken(pin),
        started: onProcess,
        folder: folderFor && (() => folderFor(connector)),
      },
    });
    const member = createMember({
      connector,
      access,
      common,
      startedAt: clock.monotonic(),
      opening,
      client,
      ...ownerOf(connector, caller),
      recent,
    });
    client.then(
      (opened) => {
        stands = true;
        common.agreesOnce = opened.server.era === 'legacy';
        common.gate.alive();
        if (isProcess) common.processStands(identity);
        for (const [key, other] of this.#members) if (isSuperseded(other, member)) this.#retire(key, other);
        void this.#listening.begin(member);
      },
      (error: unknown) => {
        if (opening.signal.aborted) return;
        if (isProcess) common.processFailed(identity, error);
        else common.gate.failed(toOpenFailure(error, connector, access.headers));
      },
    );
    return member;
  }

  /** Whoever comes next gets a new one, as often as that is allowed. Those who watch something in it are not sent away. */
  #processEnded(member: Member, identity: string, reason: string): void {
    member.common.processEnded(identity, reason);
    if (member.watched?.isIdle === false && !member.common.startsOf(identity).hasFailed) return;
    for (const [key, other] of this.#members) if (other === member) void this.#end(key, member);
  }

  released(key: string, member: Member): Promise<void> | undefined {
    const { isolation, endpoint } = member.connector;
    member.leases--;
    member.lastUsed = this.#options.clock.monotonic();
    if (isolation === 'per_call') {
      const ending = this.#end(key, member);
      // Processes that take their time to end would pile up behind calls that are soon over.
      return endpoint.transport === 'stdio' ? ending : undefined;
    }
    if (member.retired && member.leases === 0) void this.#end(key, member);
    return undefined;
  }

  #end(key: string, member: Member): Promise<void> {
    // Under the key of one that was retired there may be another by now.
    if (!this.#retired.delete(member)) {
      this.#members.delete(key);
      this.#listening.passOn(member);
    }
    return close(member);
  }

  /** Whoever comes next gets a new one; those who are in it finish first. */
  #retire(key: string, member: Member): void {
    if (member.leases === 0) {
      void this.#end(key, member);
      return;
    }
    member.retired = true;
    this.#members.delete(key);
    this.#retired.add(member);
    this.#listening.passOn(member);
  }

  /** Whoever comes next finds out anew what is spoken. */
  #replace(member: Member): void {
    for (const [key, other] of this.#members) if (other === member) this.#retire(key, member);
  }

  #endIdle(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, member] of this.#members) {
      const verdict = judgeAge(member, now);
      if (verdict === 'old') this.#retire(key, member);
      else if (verdict === 'idle') void this.#end(key, member);
    }
  }
}
