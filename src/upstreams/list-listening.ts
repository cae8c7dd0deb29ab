import type { ConnectorId } from '../kernel/index.js';
import { changesOf } from './list-changes.js';
import type { Member } from './pool-member.js';

/** One conversation per connector hears when lists change. It stays open for that, however idle it is. */
export class ListListening {
  readonly #members: ReadonlyMap<string, Member>;
  readonly #onListChanged: ((connector: ConnectorId) => void) | undefined;

  constructor(
    members: ReadonlyMap<string, Member>,
    onListChanged: ((connector: ConnectorId) => void) | undefined,
  ) {
    this.#members = members;
    this.#onListChanged = onListChanged;
  }

  /** With a conversation that is there or on the way, unless another one does so already. */
  async begin(member: Member): Promise<void> {
    const { connector } = member;
    const onListChanged = this.#onListChanged;
    try {
      const client = await member.client;
      const filter = changesOf(client.server.capabilities);
      if (onListChanged === undefined || this.#isTaken(member) || filter === undefined) return;
      member.listens = connector.endpoint.transport !== 'stdio';
      await client.subscribe(filter, () => onListChanged(connector.id));
    } catch {
      member.listens = false;
    }
  }

  /** One that may have heard of changes is gone: another one takes its place. */
  passOn({ listens, connector }: Member): void {
    // Those of single calls are gone soon, too.
    if (!listens || connector.isolation === 'per_call') return;
    for (const other of this.#members.values()) if (other.connector === connector) void this.begin(other);
  }

  #isTaken({ connector }: Member): boolean {
    for (const other of this.#members.values())
      if (other.listens && other.connector === connector) return true;
    return false;
  }
}
