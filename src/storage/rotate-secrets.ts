import { setImmediate as turn } from 'node:timers/promises';
import { HubError } from '../kernel/index.js';
import type { Db } from './database.js';
import { forgetRetiredKeys } from './master-key-check.js';
import type { SealContext, Sealer } from './sealer.js';
import { connectorSeal } from './stores/connector-store.js';
import { credentialSeal } from './stores/credential-rows.js';
import { dataKeySeal } from './stores/data-key-store.js';
import { oauthClientSeal } from './stores/oauth-client-store.js';
import { ticketSeal } from './stores/ticket-store.js';

export interface RotationOptions {
  readonly signal?: AbortSignal;
  /** Called after each record. */
  readonly onProgress?: (resealed: number) => void;
}

export interface RotationReport {
  readonly resealed: number;
  /** Records no given key opens. While there are any, their keys are still asked for at the start. */
  readonly unreadable: readonly SealContext[];
}

/** A sealed value, and how to put another in its place if nobody changed it meanwhile. */
interface SealedRecord {
  readonly context: SealContext;
  readonly sealed: string;
  replace(sealed: string): Promise<unknown>;
}

/**
 * Seals every record anew that is not sealed with the active key, one at a time, while the hub serves. Each record is
 * readable throughout; stopped anywhere, the next run does the rest.
 */
export async function rotateSecrets(
  db: Db,
  sealer: Sealer,
  { signal, onProgress }: RotationOptions = {},
): Promise<RotationReport> {
  let resealed = 0;
  const unreadable: SealContext[] = [];
  for (const record of await findOutdated(db, sealer.activeKeyId)) {
    if (signal?.aborted === true)
      throw new HubError('cancelled', 'the rotation was stopped; the next one does the rest');
    const text = tryOpen(sealer, record);
    if (text === undefined) {
      unreadable.push(record.context);
      continue;
    }
    await record.replace(sealer.seal(text, record.context));
    resealed++;
    onProgress?.(resealed);
    await turn();
  }
  // Another hub that still has the old key as its active one may have written meanwhile.
  if ((await findOutdated(db, sealer.activeKeyId)).length === 0) await forgetRetiredKeys(db, sealer);
  return { resealed, unreadable };
}

async function findOutdated(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  return [
    ...(await findDataKeys(db, activeKeyId)),
    ...(await findConnectors(db, activeKeyId)),
    ...(await findCredentials(db, activeKeyId)),
    ...(await findOAuthClients(db, activeKeyId)),
    ...(await findTickets(db, activeKeyId)),
  ];
}

function tryOpen(sealer: Sealer, { sealed, context }: SealedRecord): string | undefined {
  try {
    return sealer.open(sealed, context);
  } catch {
    return undefined;
  }
}

async function findDataKeys(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  const rows = await db
    .selectFrom('data_keys')
    .select(['name', 'sealed'])
    .where('master_key_id', '!=', activeKeyId)
    .execute();
  return rows.map(({ name, sealed }) => ({
    context: dataKeySeal(name),
    sealed,
    replace: (anew) =>
      db
        .updateTable('data_keys')
        .set({ sealed: anew, master_key_id: activeKeyId })
        .where('name', '=', name)
        .where('sealed', '=', sealed)
        .execute(),
  }));
}

async function findConnectors(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  const rows = await db
    .selectFrom('connectors')
    .select(['id', 'sealed'])
    .where('master_key_id', '!=', activeKeyId)
    .execute();
  return rows.map(({ id, sealed }) => ({
    context: connectorSeal(id),
    sealed,
    replace: (anew) =>
      db
        .updateTable('connectors')
        .set({ sealed: anew, master_key_id: activeKeyId })
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .execute(),
  }));
}

async function findCredentials(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  const rows = await db
    .selectFrom('credentials')
    .select(['connector_id', 'owner', 'account', 'detail', 'sealed'])
    .where('master_key_id', '!=', activeKeyId)
    .execute();
  return rows.map((row) => ({
    context: credentialSeal(row),
    sealed: row.sealed,
    replace: (anew) =>
      db
        .updateTable('credentials')
        .set({ sealed: anew, master_key_id: activeKeyId })
        .where('connector_id', '=', row.connector_id)
        .where('owner', '=', row.owner)
        .where('account', '=', row.account)
        .where('sealed', '=', row.sealed)
        .execute(),
  }));
}

async function findOAuthClients(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .select(['connector_id', 'issuer', 'redirect_uri', 'sealed'])
    .where('master_key_id', '!=', activeKeyId)
    .execute();
  return rows.map(({ connector_id, issuer, redirect_uri, sealed }) => ({
    context: oauthClientSeal(connector_id, issuer, redirect_uri),
    sealed,
    replace: (anew) =>
      db
        .updateTable('oauth_clients')
        .set({ sealed: anew, master_key_id: activeKeyId })
        .where('connector_id', '=', connector_id)
        .where('issuer', '=', issuer)
        .where('redirect_uri', '=', redirect_uri)
        .where('sealed', '=', sealed)
        .execute(),
  }));
}

async function findTickets(db: Db, activeKeyId: string): Promise<readonly SealedRecord[]> {
  const rows = await db
    .selectFrom('tickets')
    .select(['kind', 'digest', 'sealed'])
    .where('master_key_id', '!=', activeKeyId)
    .execute();
  return rows.map(({ kind, digest, sealed }) => ({
    context: ticketSeal(kind, digest),
    sealed,
    replace: (anew) =>
      db
        .updateTable('tickets')
        .set({ sealed: anew, master_key_id: activeKeyId })
        .where('kind', '=', kind)
        .where('digest', '=', digest)
        .where('sealed', '=', sealed)
        .execute(),
  }));
}
