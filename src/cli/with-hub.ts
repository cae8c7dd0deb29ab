import type { Cli } from './cli.js';
import { resolveHub, type HubOptions } from './hub-address.js';
import type { HubClient } from './hub-client.js';

/** Opens the way to the hub, lets `work` use it, and closes it again. */
export async function withHub<Result>(
  cli: Cli,
  options: HubOptions,
  work: (hub: HubClient) => Promise<Result>,
): Promise<Result> {
  const address = resolveHub(cli, options);
  const { HubClient } = await import('./hub-client.js');
  const hub = new HubClient(address);
  try {
    return await work(hub);
  } finally {
    await hub.close();
  }
}
