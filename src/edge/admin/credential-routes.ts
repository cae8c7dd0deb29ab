import { inlineSecrets, type Connector } from '../../connectors/index.js';
import { ADMIN_ROUTES, type SavedCredentialView } from '../../contract/index.js';
import type { CredentialOwner } from '../../credentials/index.js';
import { HubError } from '../../kernel/index.js';
import type { SyncAttempt } from '../../operations/index.js';
import type { AdminDependencies } from './dependencies.js';
import { expectedVersion, tagOf } from './entity-tag.js';
import { agentNamed, connectorNamed, requireFound } from './record-names.js';
import type { Register } from './register.js';
import { toCredentialView, toShownCredential, type ShownCredential } from './views/credential-view.js';

const ROUTES = ADMIN_ROUTES.credentials;

export function registerCredentialRoutes(register: Register, deps: AdminDependencies): void {
  register(ROUTES.get, async ({ names }) => {
    const { connector, owner } = await findOwner(deps, names);
    const credential = requireFound(
      (await deps.credentials.find(connector.id, owner)) ?? configured(connector, owner),
      'credential',
    );
    return { body: toCredentialView(credential, connector, deps.clock.now()), tag: tagOf(credential) };
  });
  register(ROUTES.save, async ({ by, names, body, ifMatch }) => {
    const { connector, owner } = await findOwner(deps, names);
    const current = await deps.credentials.find(connector.id, owner);
    const saved = await deps.operations.saveCredential({
      by,
      connector: connector.id,
      owner,
      input: body,
      expectedVersion: expectedVersion(ifMatch, current),
    });
    const view = savedView(saved, connector, deps.clock.now());
    return { body: view, created: saved.created, tag: tagOf(saved.credential) };
  });
  register(ROUTES.remove, async ({ by, names, ifMatch }) => {
    const { connector, owner } = await findOwner(deps, names);
    const current = await deps.credentials.find(connector.id, owner);
    const expected = current === undefined ? undefined : expectedVersion(ifMatch, current);
    return {
      body: await deps.operations.removeCredential({
        by,
        connector: connector.id,
        owner,
        expectedVersion: expected,
      }),
    };
  });
}

/** The connector and the owner that a path names. */
export async function findOwner(
  deps: AdminDependencies,
  names: Readonly<Record<'id' | 'owner', string>>,
): Promise<{ connector: Connector; owner: CredentialOwner }> {
  const connector = requireFound(await deps.connectors.find(connectorNamed(names.id)), 'connector', names.id);
  if (names.owner === 'shared') return { connector, owner: { kind: 'shared' } };
  const agent = requireFound(await deps.agents.find(agentNamed(names.owner)), 'agent', names.owner);
  return { connector, owner: { kind: 'agent', agent: agent.id } };
}

/** What the operator wrote beside the address is as good as a stored one. */
function configured(connector: Connector, owner: CredentialOwner): ShownCredential | undefined {
  const values = inlineSecrets(connector.auth);
  return owner.kind === 'shared' && Object.keys(values).length > 0
    ? toShownCredential(connector, values)
    : undefined;
}

/** A credential that was just stored, and what became of the sync it caused. */
export function savedView(
  { credential, sync }: { readonly credential: ShownCredential; readonly sync: SyncAttempt | undefined },
  connector: Connector,
  now: number,
): SavedCredentialView {
  return {
    ...toCredentialView(credential, connector, now),
    ...(sync !== undefined && { sync: toSyncView(sync) }),
  };
}

function toSyncView(sync: SyncAttempt): NonNullable<SavedCredentialView['sync']> {
  switch (sync.state) {
    case 'running':
      return { state: 'running' };
    case 'done':
      return { state: 'done', tools: sync.report.tools };
    case 'failed': {
      const { code, message } =
        sync.error instanceof HubError ? sync.error : { code: 'internal', message: 'unexpected failure' };
      return { state: 'failed', code, message };
    }
  }
}
