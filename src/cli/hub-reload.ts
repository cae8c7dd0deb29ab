import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_ROUTES, type ConnectorView, type EventView } from '../contract/index.js';
import { CliError } from './cli-error.js';
import { findConnector } from './find-connector.js';
import type { HubClient } from './hub-client.js';

/** Waits for the running hub to take up a change of its file. Made before the change. */
export interface HubReload {
  /** Resolves when the connector is as expected; throws with the reason if the hub refuses the file. */
  until(id: string, isThere: (connector: ConnectorView | undefined) => boolean): Promise<void>;
}

const RELOAD_MS = 15_000;
const LOOK_AGAIN_MS = 150;

export async function watchReload(hub: HubClient): Promise<HubReload> {
  const before = await lastRefusal(hub);
  return {
    async until(id, isThere) {
      const deadline = performance.now() + RELOAD_MS;
      while (!isThere(await findConnector(hub, id))) {
        const refused = await lastRefusal(hub);
        if (refused !== undefined && refused.sequence !== before?.sequence) throw refusal(refused);
        if (performance.now() > deadline) {
          throw new CliError('the running hub did not take up the change', {
            hint: 'Look whether it runs with this file: crosspoint config show',
          });
        }
        await sleep(LOOK_AGAIN_MS);
      }
    },
  };
}

async function lastRefusal(hub: HubClient): Promise<EventView | undefined> {
  const [refused] = await hub.list(ADMIN_ROUTES.events.list, { query: { type: 'config.refused' } }, 1);
  return refused;
}

function refusal(event: EventView): CliError {
  const reason = typeof event['reason'] === 'string' ? event['reason'] : 'it is not valid';
  return new CliError(`the running hub refused the changed file: ${reason}`, {
    code: 'config_invalid',
    hint: 'The file was changed; the hub goes on with the old one until the file is valid.',
  });
}
