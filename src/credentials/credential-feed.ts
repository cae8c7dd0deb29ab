import { randomToken, toAgentId, toConnectorId, type ConnectorId, type Feed } from '../kernel/index.js';
import type { CredentialOwner } from './credential.js';

/** `renewed`: the same account with another token. `replaced`: another account, or none. */
export interface CredentialChange {
  readonly kind: 'renewed' | 'replaced';
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
}

const TOPIC = 'credentials';

/** Tells other processes whose credential changed, and hears it of them. Nothing secret is in it. */
export class CredentialFeed {
  readonly #feed: Feed | undefined;
  readonly #self = randomToken(9);
  readonly #stop: () => void;

  /** `undefined`: something was missed, and everything may be different. */
  constructor(feed: Feed | undefined, heard: (change: CredentialChange | undefined) => void) {
    this.#feed = feed;
    this.#stop =
      feed?.subscribe(TOPIC, (message) => {
        if (message === undefined) heard(undefined);
        else if (!message.startsWith(`${this.#self} `)) heard(parse(message));
      }) ?? (() => {});
  }

  tell({ kind, connector, owner }: CredentialChange): void {
    const agent = owner.kind === 'agent' ? { agent: owner.agent } : {};
    this.#feed?.publish(TOPIC, `${this.#self} ${JSON.stringify({ kind, connector, ...agent })}`);
  }

  close(): void {
    this.#stop();
  }
}

/** What cannot be read is of another version of the hub: then everything may be different. */
function parse(message: string): CredentialChange | undefined {
  try {
    const { kind, connector, agent } = JSON.parse(message.slice(message.indexOf(' ') + 1)) as {
      readonly kind?: unknown;
      readonly connector?: unknown;
      readonly agent?: unknown;
    };
    if ((kind !== 'renewed' && kind !== 'replaced') || typeof connector !== 'string') return undefined;
    const owner: CredentialOwner =
      typeof agent === 'string' ? { kind: 'agent', agent: toAgentId(agent) } : { kind: 'shared' };
    return { kind, connector: toConnectorId(connector), owner };
  } catch {
    return undefined;
  }
}
