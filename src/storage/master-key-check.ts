import { HubError } from '../kernel/index.js';
import type { Database, Db } from './database.js';
import type { Sealer } from './sealer.js';

const PREFIX = 'storage.master_key.';
const PROOF = 'crosspoint';

/**
 * For each master key that may have sealed something there is a value sealed with it. A key that cannot open its value
 * is another key, and a value whose key is not given means that records would be unreadable: both refuse the start,
 * before anything is written. An empty store accepts any key.
 */
export async function requireMasterKeys(database: Database, sealer: Sealer): Promise<void> {
  if (!(await database.hasTable('settings'))) return;
  requireKeysFor(await readProofs(database.db), sealer);
}

/** The same for rows that are not in a store yet. Others than check values are ignored. */
export function requireKeysFor(
  rows: readonly { readonly key: string; readonly value: string }[],
  sealer: Sealer,
): void {
  for (const { key, value } of rows) {
    if (!key.startsWith(PREFIX)) continue;
    const keyId = key.slice(PREFIX.length);
    if (!sealer.knows(keyId)) {
      throw new HubError(
        'config_invalid',
        `the store is sealed with the master key "${keyId}", which was not given; put it behind the present one, in a line of its own`,
      );
    }
    if (!opens(sealer, keyId, value)) {
      throw new HubError(
        'config_invalid',
        `the master key "${keyId}" is not the one the store was sealed with: bring back that one (master.key of the data folder, or CROSSPOINT_MASTER_KEY); the store was not changed`,
      );
    }
  }
}

/** Before the active key seals its first record. */
export async function recordMasterKey(db: Db, sealer: Sealer): Promise<void> {
  const keyId = sealer.activeKeyId;
  await db
    .insertInto('settings')
    .values({ key: `${PREFIX}${keyId}`, value: sealer.seal(PROOF, proofSeal(keyId)) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** When no record is sealed with another key than the active one. */
export async function forgetRetiredKeys(db: Db, sealer: Sealer): Promise<void> {
  const keys = (await readProofs(db))
    .map(({ key }) => key)
    .filter((key) => key !== `${PREFIX}${sealer.activeKeyId}`);
  if (keys.length > 0) await db.deleteFrom('settings').where('key', 'in', keys).execute();
}

async function readProofs(db: Db): Promise<readonly { readonly key: string; readonly value: string }[]> {
  const rows = await db
    .selectFrom('settings')
    .selectAll()
    .where('key', '>=', PREFIX)
    .orderBy('key')
    .execute();
  return rows.filter(({ key }) => key.startsWith(PREFIX));
}

function opens(sealer: Sealer, keyId: string, value: string): boolean {
  try {
    return sealer.open(value, proofSeal(keyId)) === PROOF;
  } catch {
    return false;
  }
}

function proofSeal(keyId: string) {
  return { table: 'settings', record: `${PREFIX}${keyId}`, field: 'value' };
}
