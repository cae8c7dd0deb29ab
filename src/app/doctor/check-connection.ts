import { isOAuth, type Connector } from '../../connectors/index.js';
import { configuredHeaders } from '../../credentials/index.js';
import { createEgress, guardedLookup } from '../../upstreams/index.js';
import { checkAddress } from './check-address.js';
import { checkServer, type Shown } from './check-server.js';
import { skipped, type Step } from './step.js';

/** Every step to a connector's upstream, up to the first that fails. No stored credential of it is used. */
export async function checkConnection(connector: Connector): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for await (const step of walk(connector)) steps.push(step);
  return steps;
}

/** The same for one that is not stored yet, each step as soon as it is known and with what was given beside the address. */
export function tryConnection(connector: Connector, signal?: AbortSignal): AsyncGenerator<Step> {
  const { auth, credentialMode } = connector;
  const perAgent = credentialMode === 'per_agent';
  const headers = auth.type === 'none' || perAgent ? {} : (configuredHeaders(connector) ?? {});
  return walk(
    connector,
    { headers, later: isOAuth(auth) ? 'sign_in' : perAgent ? 'per_agent' : undefined },
    signal,
  );
}

/** No address is dialled that the connector may not reach. */
async function* walk(
  { endpoint, allowPrivateNetwork, timeouts: { connectMs } }: Connector,
  shown?: Shown,
  signal?: AbortSignal,
): AsyncGenerator<Step> {
  if (endpoint.transport === 'stdio') {
    yield skipped('command', 'a process is started when it is used: sync it to see whether that works');
    return;
  }
  const url = new URL(endpoint.url);
  const way = allowPrivateNetwork
    ? undefined
    : { lookup: guardedLookup(), dispatcher: createEgress({ connectMs }) };
  try {
    for (const steps of [checkAddress(url, way), checkServer(url, way, shown)])
      for await (const step of steps) {
        yield step;
        if (step.state === 'failed' || signal?.aborted === true) return;
      }
  } finally {
    await way?.dispatcher.destroy();
  }
}
