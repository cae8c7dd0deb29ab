import { verifyChain, type ChainVerdict } from '../../src/governance/index.js';
import { Secret } from '../../src/kernel/index.js';
import type { Storage } from '../../src/storage/index.js';
import {
  admin,
  agentActor,
  appendAll,
  exampleAgent,
  exampleConnector,
  exampleCredential,
  exampleDiff,
  exampleKey,
  examplePolicy,
  exampleSnapshot,
  finished,
  intended,
  ofAgent,
  reveal,
  shared,
  started,
} from './examples.js';

/** Texts that must be nowhere in the database. */
export const CANARIES = [
  'canary-credential-of-all',
  'canary-credential-of-one',
  'canary-environment',
  'canary-bearer',
  'canary-in-url',
  'canary-argument',
  'canary-client-secret',
] as const;

/** Something in every table, with a secret wherever there can be one. */
export async function fill(storage: Storage): Promise<void> {
  await storage.connectors.add(
    exampleConnector('http', {
      endpoint: { transport: 'streamable_http', url: 'https://x.example/?key=canary-in-url' },
      auth: { type: 'bearer', token: new Secret('canary-bearer') },
    }),
  );
  await storage.connectors.add(
    exampleConnector('child', {
      endpoint: {
        transport: 'stdio',
        command: 'x',
        args: ['--key=canary-argument'],
        env: { TOKEN: new Secret('canary-environment') },
        cwd: undefined,
        idleStopMs: 1,
      },
    }),
  );
  await storage.connectors.add(
    exampleConnector('oauth', {
      auth: { type: 'client_credentials', settings: { clientSecret: 'canary-client-secret' } },
    }),
  );
  await storage.agents.add(exampleAgent('ci'));
  await storage.agents.addKey(exampleKey('k1'));
  await storage.credentials.save(exampleCredential('http', shared, { token: 'canary-credential-of-all' }));
  await storage.credentials.save(
    exampleCredential('http', ofAgent('ci'), { token: 'canary-credential-of-one' }),
  );
  await storage.snapshots.save(exampleSnapshot('http'), exampleDiff);
  await storage.policies.add(examplePolicy());
  await storage.settings.save('hub.id', 'hub-1');
  await storage.dataKeys.require('event arguments');
  await appendAll(storage.events, [
    started,
    [agentActor('ci'), intended('c1', 'http')],
    [agentActor('ci'), finished('c1', 'http')],
    [admin, { type: 'policy.changed', policy: 'starter', version: 1 }],
  ]);
  await storage.events.trim(1);
  await appendAll(storage.events, [[agentActor('ci'), intended('c2', 'http')]]);
}

export interface Contents {
  readonly stores: unknown;
  readonly chain: ChainVerdict;
}

/** Everything the ports can tell, with secrets opened. */
export async function contentsOf(storage: Storage): Promise<Contents> {
  const { connectors, agents, credentials, snapshots, policies, events, settings, dataKeys } = storage;
  const owned = await Promise.all(
    (await credentials.list()).map(({ connector, owner }) => credentials.find(connector, owner)),
  );
  const stores = reveal({
    connectors: await connectors.list(),
    agents: await agents.list(),
    keys: await Promise.all((await agents.list()).map(({ id }) => agents.listKeys(id))),
    credentials: owned,
    snapshots: await snapshots.latestOfAll(),
    history: await Promise.all(
      (await snapshots.latestOfAll()).map(({ connectorId }) => snapshots.history(connectorId, 1_000)),
    ),
    policies: await policies.list(),
    setting: await settings.find('hub.id'),
    dataKey: (await dataKeys.require('event arguments')).toString('hex'),
    events: await events.query({ limit: 100_000, order: 'oldest' }),
    anchor: await events.anchor(),
    unfinished: await events.unfinishedCalls(),
  });
  return { stores, chain: await verifyChain(events) };
}
