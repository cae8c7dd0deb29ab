import type { Connector } from '../connectors/index.js';
import type { Clock, HubError } from '../kernel/index.js';
import type { StandingStream } from '../mcp/client/index.js';
import { TransportError, type BrokenPin } from '../mcp/transports/index.js';
import { ConnectorGate, type GateListener } from './connector-gate.js';
import { StartLimit } from './start-limit.js';
import { StderrTail } from './stderr-tail.js';
import { whyNotOpened } from './upstream-failure.js';
import { secretsOfProcess } from './without-secrets.js';
import type { UpstreamChange } from './upstream.js';
import { openWaysOut, type WaysOut } from './ways-out.js';

/** What belongs to a connector as a whole, whoever uses it. */
export class ConnectorResources {
  readonly connector: Connector;
  readonly gate: ConnectorGate;
  readonly egress: WaysOut | undefined;
  readonly stderr: StderrTail;
  /** Why the last attempt to open a conversation failed; cleared by one that succeeds. */
  failure: HubError | undefined;
  /** Whether a conversation settles at its beginning what may be asked in it. Unknown until there was one. */
  agreesOnce: boolean | undefined;
  readonly standingStream: StandingStream = { isLate: false };
  readonly #clock: Clock;
  readonly #tell: (change: UpstreamChange) => void;
  /** Why no process is started, as long as that is so. */
  #brokenPin: string | undefined;
  /** By whose processes they are. */
  readonly #starts = new Map<string, StartLimit>();
  /** Those that are not over, whether they are still given to anybody or not. */
  readonly #conversations = new Set<object>();
  #isRetired = false;

  constructor(
    connector: Connector,
    clock: Clock,
    tell: (change: UpstreamChange) => void,
    listener?: GateListener,
  ) {
    this.connector = connector;
    this.#clock = clock;
    this.#tell = tell;
    this.egress = openWaysOut(connector);
    this.stderr = new StderrTail(secretsOfProcess(connector.endpoint));
    this.gate = new ConnectorGate({
      connector,
      clock,
      listener,
      onOpen: (failures, reason) => tell({ type: 'breaker_opened', connector, failures, reason }),
      onClose: (openMs) => tell({ type: 'breaker_closed', connector, openMs: Math.round(openMs) }),
    });
  }

  begun(conversation: object): void {
    this.#conversations.add(conversation);
  }

  /** May be called twice. */
  over(conversation: object): void {
    this.#conversations.delete(conversation);
    if (this.#isRetired) void this.retire().catch(() => {});
  }

  /** No conversation begins any more. Those that go on have their way out until they are over. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#conversations.size === 0) await this.egress?.close();
  }

  startsOf(identity: string): StartLimit {
    let known = this.#starts.get(identity);
    if (known === undefined)
      this.#starts.set(identity, (known = new StartLimit(`connector ${this.connector.id}`, this.#clock)));
    return known;
  }

  /** Why processes are no longer started, where that is so. */
  get startsFailed(): HubError | undefined {
    for (const starts of this.#starts.values()) if (starts.hasFailed) return starts.failure();
    return undefined;
  }

  processEnded(identity: string, reason: string): void {
    const starts = this.startsOf(identity);
    if (!starts.ended(reason)) return;
    this.#tell({ type: 'process_failed', connector: this.connector, reason: starts.failure().message });
  }

  /** It never stood. One that was not started for its pins ended nothing: whoever mends them need not wait. */
  processFailed(identity: string, error: unknown): void {
    if (error instanceof TransportError && error.code === 'STDIO_PIN_BROKEN') return;
    this.processEnded(identity, whyNotOpened(error, this.connector));
  }

  /** None was started. That is told once, however many ask for one. */
  pinBroken(pin: BrokenPin): void {
    if (this.#brokenPin === pin.why) return;
    this.#brokenPin = pin.why;
    const { connector } = this;
    const reason = `the process was not started: ${pin.why}`;
    this.stderr.push(reason);
    this.#tell({ type: 'pin_broken', connector, pin, reason: `connector ${connector.id}: ${reason}` });
  }

  processStands(identity: string): void {
    const starts = this.#starts.get(identity);
    const recovered = starts?.stands() === true || this.#brokenPin !== undefined;
    this.#brokenPin = undefined;
    if (starts?.isClear === true) this.#starts.delete(identity);
    if (recovered) this.#tell({ type: 'process_recovered', connector: this.connector });
  }
}
