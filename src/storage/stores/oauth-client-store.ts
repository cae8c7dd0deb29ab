import { toConnectorId, type ConnectorId } from '../../kernel/index.js';
import type { OAuthClient, OAuthClientStore } from '../../credentials/index.js';
import type { Db } from '../database.js';
import type { Sealer } from '../sealer.js';
import { readSecretJson, writeSecretJson } from '../secret-json.js';
import type { OAuthClientRow } from '../tables.js';

/** Sealed whole, so that nobody can pair the secret with another client. */
type Sealed = Omit<OAuthClient, 'connector' | 'issuer' | 'redirectUri' | 'registeredAt'>;

export function createOAuthClientStore(db: Db, sealer: Sealer): OAuthClientStore {
  return {
    async find(connector, issuer, redirectUri) {
      const row = await db
        .selectFrom('oauth_clients')
        .selectAll()
        .where('connector_id', '=', connector)
        .where('issuer', '=', issuer)
        .where('redirect_uri', '=', redirectUri)
        .executeTakeFirst();
      return row === undefined ? undefined : fromRow(row, sealer);
    },

    async save(client) {
      const { connector_id, issuer, redirect_uri, ...columns } = toRow(client, sealer);
      await db
        .insertInto('oauth_clients')
        .values({ connector_id, issuer, redirect_uri, ...columns })
        .onConflict((conflict) =>
          conflict.columns(['connector_id', 'issuer', 'redirect_uri']).doUpdateSet(columns),
        )
        .execute();
    },

    async remove(connector, issuer, redirectUri) {
      await db
        .deleteFrom('oauth_clients')
        .where('connector_id', '=', connector)
        .where('issuer', '=', issuer)
        .where('redirect_uri', '=', redirectUri)
        .execute();
    },

    async removeAllFor(connector: ConnectorId) {
      await db.deleteFrom('oauth_clients').where('connector_id', '=', connector).execute();
    },
  };
}

/** Where a registered client belongs. */
export function oauthClientSeal(connector: string, issuer: string, redirectUri: string) {
  return {
    table: 'oauth_clients',
    record: JSON.stringify([connector, issuer, redirectUri]),
    field: 'sealed',
  };
}

function toRow(client: OAuthClient, sealer: Sealer): OAuthClientRow {
  const { connector, issuer, redirectUri, registeredAt, ...sealed } = client;
  return {
    connector_id: connector,
    issuer,
    redirect_uri: redirectUri,
    sealed: sealer.seal(
      writeSecretJson(sealed satisfies Sealed),
      oauthClientSeal(connector, issuer, redirectUri),
    ),
    master_key_id: sealer.activeKeyId,
    registered_at: registeredAt,
  };
}

function fromRow(
  { connector_id, issuer, redirect_uri, sealed, registered_at }: OAuthClientRow,
  sealer: Sealer,
): OAuthClient {
  const context = oauthClientSeal(connector_id, issuer, redirect_uri);
  const opened = readSecretJson(sealer.open(sealed, context)) as Sealed;
  return {
    connector: toConnectorId(connector_id),
    issuer,
    redirectUri: redirect_uri,
    ...opened,
    // JSON leaves out what is undefined.
    clientSecret: opened.clientSecret,
    expiresAt: opened.expiresAt,
    registeredAt: registered_at,
  };
}
