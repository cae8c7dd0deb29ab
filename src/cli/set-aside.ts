import { ADMIN_ROUTES } from '../contract/index.js';
import type { HubClient } from './hub-client.js';

/** So many are named. */
const MOST = 5;

/** What an upstream offers and agents do not see, and what can be done about it, in sentences. */
export async function describeSetAside(hub: HubClient, id: string): Promise<readonly string[]> {
  const { rejected } = await hub.ask(ADMIN_ROUTES.connectors.tools, { path: { id }, query: { limit: 1 } });
  const held = rejected.filter((each) => each.held === true).map(({ name }) => name);
  const others = rejected
    .filter((each) => each.held !== true)
    .map(({ name, reason }) => `${name} (${reason})`);
  return [
    ...(held.length === 0
      ? []
      : [
          `Held back because its definition changed: ${some(held)}. See the change in the console, then offer it again with "crosspoint connector sync ${id} --accept".`,
        ]),
    ...(others.length === 0 ? [] : [`Cannot be offered: ${some(others)}.`]),
  ];
}

function some(names: readonly string[]): string {
  const more = names.length - MOST;
  return names.slice(0, MOST).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
