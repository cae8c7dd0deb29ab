import type { Connector } from '../../connectors/index.js';
import { checkAddress } from './check-address.js';
import { checkServer } from './check-server.js';
import { skipped, type Step } from './step.js';

/** Every step to a connector's upstream, up to the first that fails. No credential of it is used. */
export async function checkConnection({ endpoint }: Connector): Promise<readonly Step[]> {
  if (endpoint.transport === 'stdio')
    return [skipped('command', 'a process is started when it is used: sync it to see whether that works')];
  const steps: Step[] = [];
  for (const check of [checkAddress, checkServer]) {
    for await (const step of check(new URL(endpoint.url))) steps.push(step);
    if (steps.some(({ state }) => state === 'failed')) break;
  }
  return steps;
}
