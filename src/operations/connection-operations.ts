import type { TicketStore } from '../kernel/index.js';
import { createAccountDesk, type AccountDesk, type AccountDeskDependencies } from './account-desk.js';
import {
  createBeginConnection,
  type BeginConnection,
  type BeginConnectionDependencies,
} from './begin-connection.js';
import { createConnectPages, type ConnectPages } from './connect-pages.js';
import {
  createFinishConnection,
  type FinishConnection,
  type FinishConnectionDependencies,
} from './finish-connection.js';
import { PendingConnections } from './pending-connections.js';

/** How accounts at upstreams come to the hub. */
export interface ConnectionOperations {
  readonly begin: BeginConnection;
  readonly finish: FinishConnection;
  readonly pages: ConnectPages;
  readonly desk: AccountDesk;
}

export type ConnectionDependencies = Omit<
  BeginConnectionDependencies & FinishConnectionDependencies & AccountDeskDependencies,
  'pending' | 'pages'
> & { readonly tickets: TicketStore };

export function createConnectionOperations(deps: ConnectionDependencies): ConnectionOperations {
  const pending = new PendingConnections(deps);
  const pages = createConnectPages(deps);
  return {
    begin: createBeginConnection({ ...deps, pending }),
    finish: createFinishConnection({ ...deps, pending }),
    pages,
    desk: createAccountDesk({ ...deps, pages }),
  };
}
