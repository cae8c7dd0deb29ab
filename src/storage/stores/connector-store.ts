import { toConnectorId, type ConnectorId } from '../../kernel/index.js';
import {
  DEFAULT_LIMITS,
  DEFAULT_MAX_LIFETIME_MS,
  type Connector,
  type ConnectorAuth,
  type ConnectorStore,
  type Endpoint,
} from '../../connectors/index.js';
import type { Db } from '../database.js';
import type { Sealer } from '../sealer.js';
import { readSecretJson, writeSecretJson } from '../secret-json.js';
import type { ConnectorRow } from '../tables.js';
import { requireReplaced } from './replace-row.js';

/** In clear. Address and authentication are sealed whole: URLs, arguments, environments and settings may all carry secrets. */
type Body = Omit<Connector, 'id' | 'version' | 'endpoint' | 'auth' | 'createdAt' | 'updatedAt'>;

interface Sealed {
  readonly endpoint: Endpoint;
  readonly auth: ConnectorAuth;
}

export function createConnectorStore(db: Db, sealer: Sealer): ConnectorStore {
  const row = (id: ConnectorId) =>
    db.selectFrom('connectors').selectAll().where('id', '=', id).executeTakeFirst();
  return {
    async list() {
      const rows = await db.selectFrom('connectors').selectAll().orderBy('id').execute();
      return rows.map((found) => fromRow(found, sealer));
    },

    async find(id) {
      const found = await row(id);
      return found === undefined ? undefined : fromRow(found, sealer);
    },

    async add(connector) {
      await db.insertInto('connectors').values(toRow(connector, sealer)).execute();
    },

    async replace(connector, expectedVersion) {
      const { id, ...columns } = toRow(connector, sealer);
      const update = db
        .updateTable('connectors')
        .set(columns)
        .where('id', '=', id)
        .where('version', '=', expectedVersion);
      await requireReplaced(await update.executeTakeFirst(), () => row(connector.id));
    },

    async remove(id) {
      await db.deleteFrom('connectors').where('id', '=', id).execute();
    },
  };
}

/** Where the sealed part of a connector belongs. */
export function connectorSeal(id: string) {
  return { table: 'connectors', record: id, field: 'sealed' };
}

function toRow(connector: Connector, sealer: Sealer): ConnectorRow {
  const { id, version, endpoint, auth, createdAt, updatedAt, ...body } = connector;
  const sealed: Sealed = { endpoint, auth };
  return {
    id,
    version,
    body: JSON.stringify(body satisfies Body),
    sealed: sealer.seal(writeSecretJson(sealed), connectorSeal(id)),
    master_key_id: sealer.activeKeyId,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function fromRow(
  { id, version, body, sealed, created_at, updated_at }: ConnectorRow,
  sealer: Sealer,
): Connector {
  const { endpoint, auth } = readSecretJson(sealer.open(sealed, connectorSeal(id))) as Sealed;
  const known = JSON.parse(body) as Body;
  // Older hubs did not know it.
  const completed: Partial<Body> = known;
  return {
    ...known,
    limits: { ...DEFAULT_LIMITS, ...known.limits },
    changedTools: completed.changedTools ?? 'offer',
    id: toConnectorId(id),
    version,
    endpoint: completeEndpoint(endpoint),
    auth: completeAuth(auth),
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** JSON leaves out what is undefined, and older hubs what they did not know; the types do not. */
function completeEndpoint(endpoint: Endpoint): Endpoint {
  if (endpoint.transport !== 'stdio') return endpoint;
  const known: Partial<typeof endpoint> = endpoint;
  return {
    ...endpoint,
    cwd: endpoint.cwd,
    pins: known.pins ?? {},
    maxLifetimeMs: known.maxLifetimeMs ?? DEFAULT_MAX_LIFETIME_MS,
  };
}

function completeAuth(auth: ConnectorAuth): ConnectorAuth {
  if (auth.type === 'bearer') return { ...auth, token: auth.token };
  return auth.type === 'api_key' ? { ...auth, value: auth.value } : auth;
}
