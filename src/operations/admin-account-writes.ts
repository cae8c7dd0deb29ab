import {
  createAdminAccount,
  type AdminDirectory,
  type AdminStore,
  type BrowserSessions,
  type KnownAdmin,
} from '../agents/index.js';
import type { AdminAddition } from '../contract/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, invalidField, isName, NAME_RULE, type Clock, type Secret } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { recordHash } from './record-hash.js';
import type { Turns } from './turns.js';

export interface AdminAccountDependencies {
  readonly admins: Pick<AdminDirectory, 'find' | 'list'>;
  readonly adminStore: Pick<AdminStore, 'add' | 'remove'>;
  readonly sessions: Pick<BrowserSessions, 'endAllOf'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
  readonly clock: Clock;
}

/** The token is only in the answer. */
export type AddAdmin = (request: {
  readonly by: AdminCaller;
  readonly input: AdminAddition;
}) => Promise<{ readonly admin: KnownAdmin; readonly token: Secret }>;

export type RemoveAdmin = (request: { readonly by: AdminCaller; readonly id: string }) => Promise<void>;

const MAX_ADMINS = 1_000;
const TURN = 'admins';

export function createAddAdmin(deps: AdminAccountDependencies): AddAdmin {
  return async function addAdmin({ by, input }) {
    const { id, role, name = id } = input;
    if (!isName(id)) throw invalidField('id', `must have ${NAME_RULE}`);
    return deps.turns(TURN, async () => {
      if ((await deps.admins.find(id)) !== undefined)
        throw new HubError('conflict', `there is already an admin ${id}`);
      if ((await deps.admins.list()).length >= MAX_ADMINS)
        throw new HubError('conflict', `there are ${MAX_ADMINS} admins: remove some first`);
      // Sessions of an earlier one with this name must not become this one's.
      await deps.sessions.endAllOf({ kind: 'admin', id });
      const { account, token } = createAdminAccount({ id, name, role, now: deps.clock.now() });
      await deps.adminStore.add(account);
      deps.events.append(toActor(by), {
        type: 'admin.added',
        admin: id,
        role,
        before: recordHash(undefined),
        after: recordHash(account),
      });
      return { admin: { ...account, source: 'stored' }, token };
    });
  };
}

/** With its sessions. The hub's own token stays, so somebody can always get in. */
export function createRemoveAdmin(deps: AdminAccountDependencies): RemoveAdmin {
  return async function removeAdmin({ by, id }) {
    await deps.turns(TURN, async () => {
      const before = await deps.admins.find(id);
      if (before === undefined) throw new HubError('not_found', 'there is no such admin');
      if (before.source === 'built_in')
        throw new HubError(
          'conflict',
          "the holder of the hub's own token cannot be removed: change the token",
        );
      if (before.source === 'file')
        throw new HubError('conflict', `admin ${id} comes from the configuration file: remove it there`);
      const { source: _, ...account } = before;
      if (!(await deps.adminStore.remove(id))) throw new HubError('not_found', 'there is no such admin');
      await deps.sessions.endAllOf({ kind: 'admin', id });
      deps.events.append(toActor(by), {
        type: 'admin.removed',
        admin: id,
        role: account.role,
        before: recordHash(account),
        after: recordHash(undefined),
      });
    });
  };
}
