import type { Connector } from '../../connectors/index.js';
import { createEgress, guardedLookup } from '../../upstreams/index.js';
import { checkAddress } from './check-address.js';
import { checkServer } from './check-server.js';
import { skipped, type Step } from './step.js';

/** Every step to a connector's upstream, up to the first that fails. No credential of it is used, and no address is dialled that it may not reach. */
export async function checkConnection({
  endpoint,
  allowPrivateNetwork,
  timeouts: { connectMs },
}: Connector): Promise<readonly Step[]> {
  if (endpoint.transport === 'stdio')
    return [skipped('command', 'a process is started when it is used: sync it to see whether that works')];
  const way = allowPrivateNetwork
    ? undefined
    : { lookup: guardedLookup(), dispatcher: createEgress({ connectMs }) };
  const steps: Step[] = [];
  try {
    for (const check of [checkAddress, checkServer]) {
      for await (const step of check(new URL(endpoint.url), way)) steps.push(step);
      if (steps.some(({ state }) => state === 'failed')) break;
    }
    return steps;
  } finally {
    await way?.dispatcher.destroy();
  }
}
