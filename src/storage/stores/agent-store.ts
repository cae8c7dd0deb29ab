import { toAgentId, toKeyId, type AgentId } from '../../kernel/index.js';
import type { Agent, AgentKey, AgentReader, AgentStore } from '../../agents/index.js';
import type { Db } from '../database.js';
import type { AgentKeyRow, VersionedRow } from '../tables.js';
import { requireReplaced } from './replace-row.js';

type Body = Omit<Agent, 'id' | 'version' | 'createdAt' | 'updatedAt'>;

export function createAgentStore(db: Db): AgentStore {
  return {
    ...createAgentReader(db),

    async add(agent) {
      await db.insertInto('agents').values(toRow(agent)).execute();
    },

    async replace(agent, expectedVersion) {
      const { id, ...columns } = toRow(agent);
      const update = db
        .updateTable('agents')
        .set(columns)
        .where('id', '=', id)
        .where('version', '=', expectedVersion);
      await requireReplaced(await update.executeTakeFirst(), () => findRow(db, agent.id));
    },

    async remove(id) {
      await db.deleteFrom('agents').where('id', '=', id).execute();
    },

    async addKey(key) {
      await db.insertInto('agent_keys').values(toKeyRow(key)).execute();
    },

    async removeKey(id, key) {
      const { numDeletedRows } = await db
        .deleteFrom('agent_keys')
        .where('agent_id', '=', id)
        .where('id', '=', key)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function createAgentReader(db: Db): AgentReader {
  return {
    async list() {
      return (await db.selectFrom('agents').selectAll().orderBy('id').execute()).map(fromRow);
    },

    async find(id) {
      const found = await findRow(db, id);
      return found === undefined ? undefined : fromRow(found);
    },

    async listKeys(id) {
      const keys = db.selectFrom('agent_keys').selectAll().where('agent_id', '=', id);
      return (await keys.orderBy('created_at').orderBy('id').execute()).map(fromKeyRow);
    },

    async findByKeyDigest(digest) {
      const key = await db
        .selectFrom('agent_keys')
        .selectAll()
        .where('digest', '=', digest)
        .executeTakeFirst();
      const agent = key === undefined ? undefined : await findRow(db, toAgentId(key.agent_id));
      return key === undefined || agent === undefined
        ? undefined
        : { agent: fromRow(agent), key: fromKeyRow(key) };
    },
  };
}

function findRow(db: Db, id: AgentId): Promise<VersionedRow | undefined> {
  return db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst();
}

function toRow({ id, version, createdAt, updatedAt, ...body }: Agent): VersionedRow {
  return {
    id,
    version,
    body: JSON.stringify(body satisfies Body),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function fromRow({ id, version, body, created_at, updated_at }: VersionedRow): Agent {
  return {
    ...(JSON.parse(body) as Body),
    id: toAgentId(id),
    version,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

function toKeyRow({ id, agentId, digest, last4, createdAt, expiresAt }: AgentKey): AgentKeyRow {
  return { id, agent_id: agentId, digest, last4, created_at: createdAt, expires_at: expiresAt ?? null };
}

function fromKeyRow({ id, agent_id, digest, last4, created_at, expires_at }: AgentKeyRow): AgentKey {
  return {
    id: toKeyId(id),
    agentId: toAgentId(agent_id),
    digest,
    last4,
    createdAt: created_at,
    expiresAt: expires_at ?? undefined,
  };
}
