import { verifyChain, type ChainVerdict } from '../../src/governance/index.js';
import { Secret, toConnectorId } from '../../src/kernel/index.js';
import type { Storage } from '../../src/storage/index.js';
import {
  admin,
  agentActor,
  appendAll,
  exampleAdmin,
  exampleAgent,
  exampleConnector,
  exampleCredential,
  exampleDiff,
  exampleGrant,
  exampleKey,
  exampleOAuthClient,
  examplePolicy,
  exampleSnapshot,
  finished,
  intended,
  LARGEST,
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
  'canary-access-token',
  'canary-registered-client',
  'canary-ticket-name',
  'canary-ticket-value',
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
        pins: { node: 'a'.repeat(64) },
        idleStopMs: 1,
        maxLifetimeMs: 2,
      },
    }),
  );
  await storage.connectors.add(
    exampleConnector('oauth', {
      auth: { type: 'client_credentials', settings: { clientSecret: new Secret('canary-client-secret') } },
    }),
  );
  await storage.agents.add(exampleAgent('ci'));
  await storage.agents.addKey(exampleKey('k1'));
  await storage.credentials.save(exampleCredential('http', shared, { token: 'canary-credential-of-all' }));
  await storage.credentials.save(
    exampleCredential('http', ofAgent('ci'), { token: 'canary-credential-of-one' }),
  );
  await storage.credentials.save({
    ...exampleCredential('http', ofAgent('ci'), { access_token: 'canary-access-token' }),
    account: 'work',
    isDefault: false,
    grant: exampleGrant,
  });
  await storage.oauthClients.save(
    exampleOAuthClient('http', { clientSecret: new Secret('canary-registered-client') }),
  );
  await storage.admins.add(exampleAdmin());
  await storage.tickets.put({
    kind: 'browser',
    name: 'canary-ticket-name',
    value: '"canary-ticket-value"',
    group: 'sign-in',
    expiresAt: LARGEST,
  });
  await storage.instances.beat('instance-1');
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
  await storage.events.query({ limit: 1, order: 'newest' });
  // So many at once that SQLite keeps them as a block.
  await appendAll(
    storage.events,
    Array.from({ length: 100 }, () => started),
  );
}

export interface Contents {
  readonly stores: unknown;
  readonly chain: ChainVerdict;
}

/** Everything the ports can tell that a backup carries, with secrets opened. */
export async function contentsOf(storage: Storage): Promise<Contents> {
  const { connectors, agents, admins, credentials, oauthClients } = storage;
  const { snapshots, policies, events, settings, dataKeys } = storage;
  const { issuer, redirectUri } = exampleOAuthClient();
  const owned = await Promise.all(
    (await credentials.list()).map(({ connector, owner, account }) =>
      credentials.find(connector, owner, account),
    ),
  );
  const stores = reveal({
    connectors: await connectors.list(),
    agents: await agents.list(),
    keys: await Promise.all((await agents.list()).map(({ id }) => agents.listKeys(id))),
    admins: await admins.list(),
    credentials: owned,
    oauthClient: await oauthClients.find(toConnectorId('http'), issuer, redirectUri),
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
