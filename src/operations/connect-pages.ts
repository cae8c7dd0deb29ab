import {
  randomToken,
  toAgentId,
  toConnectorId,
  type AgentId,
  type Clock,
  type ConnectorId,
  type TicketStore,
} from '../kernel/index.js';

/** What somebody who follows a link from a client is to connect, and as whom. */
export interface ConnectPage {
  readonly agent: AgentId;
  readonly connector: ConnectorId;
}

/** Addresses to send people to. One leads nowhere for anybody but the agent it was made for. */
export interface ConnectPages {
  /** The same one again as long as it is good for a while. */
  open(page: ConnectPage): Promise<string>;
  find(name: string): Promise<ConnectPage | undefined>;
}

export interface ConnectPagesDependencies {
  readonly tickets: Pick<TicketStore, 'put' | 'find'>;
  readonly clock: Clock;
  /** Of the hub, for a path of ours. */
  readonly urlOf: (path: string) => string;
}

const KIND = 'connect-page';
const LIFE_MS = 10 * 60_000;
const REUSED_MS = 5 * 60_000;
const NAME = /^[\w-]{43}$/;
const MOST_REMEMBERED = 10_000;

export const CONNECT_PATH = '/oauth/connect/';

export function createConnectPages({ tickets, clock, urlOf }: ConnectPagesDependencies): ConnectPages {
  const open = new Map<string, { readonly name: string; readonly until: number }>();
  return {
    async open({ agent, connector }) {
      const key = JSON.stringify([agent, connector]);
      const known = open.get(key);
      if (known !== undefined && clock.now() < known.until) return urlOf(CONNECT_PATH + known.name);
      const name = randomToken();
      const expiresAt = clock.now() + LIFE_MS;
      await tickets.put({ kind: KIND, name, value: JSON.stringify({ agent, connector }), expiresAt });
      if (open.size >= MOST_REMEMBERED) open.clear();
      open.set(key, { name, until: expiresAt - REUSED_MS });
      return urlOf(CONNECT_PATH + name);
    },
    async find(name) {
      const ticket = NAME.test(name) ? await tickets.find(KIND, name) : undefined;
      if (ticket === undefined) return undefined;
      const { agent, connector } = JSON.parse(ticket.value) as Readonly<
        Record<'agent' | 'connector', string>
      >;
      return { agent: toAgentId(agent), connector: toConnectorId(connector) };
    },
  };
}
