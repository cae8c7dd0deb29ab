import type { Policy } from '../governance/index.js';
import { toConnectorId } from '../kernel/index.js';
import { POLICY_TURN } from '../operations/index.js';
import { starterPolicy, localAgent, sampleConnector } from './built-in.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import type { DataFolder } from './data-folder.js';

/**
 * Puts a configuration in force. Policies are checked first, because a set that is not valid must change nothing;
 * connectors that did not change keep their conversations. `accepted`: it will not be refused any more.
 */
export async function applyConfig(
  hub: Hub,
  config: Config,
  folder: DataFolder,
  accepted: () => void = () => {},
): Promise<readonly string[]> {
  const now = hub.clock.now();
  // In turn with changes made here, so that what was read before one is not put in force after it.
  await hub.ownTurns(POLICY_TURN, async () => {
    await loadPolicies(hub, config);
    accepted();
  });
  hub.toolsets.configure(config.toolsets);
  hub.agents.configure([localAgent(folder.localToken, now), ...config.agents]);
  hub.browser.admins.configure(config.admin.accounts);
  hub.browser.singleSignOn.configure(config.admin.oidc);
  hub.authenticator.forget();
  const builtIn =
    config.configFile === undefined && config.connectors.length === 0 ? [sampleConnector(now)] : [];
  const { changed, removed } = hub.connectors.configure([...builtIn, ...config.connectors]);
  for (const connector of changed) hub.catalog.putConnector(connector);
  for (const id of removed) {
    // What the file has no more may have hidden a stored one.
    const stored = await hub.connectors.find(id).catch(() => undefined);
    if (stored === undefined) hub.catalog.remove(id);
    else hub.catalog.putConnector(stored);
  }
  const ids = [...changed.map(({ id }) => id), ...removed];
  for (const id of ids) hub.health.forget(id);
  for (const { id, enabled } of changed) if (enabled) hub.upstreams.retire(id);
  // How long that takes is for servers of before to say: nobody waits for it, and nobody finds them any more.
  const off = changed.flatMap(({ id, enabled }) => (enabled ? [] : [id]));
  const ended = Promise.allSettled([...removed, ...off].map((id) => hub.upstreams.drop(id)));
  if (removed.length > 0) void ended.then(() => tidyFolders(hub)).catch(() => {});
  return ids;
}

/** What processes of connectors wrote that are no more is of use to nobody. */
export async function tidyFolders({ folders, connectors }: Hub): Promise<void> {
  await folders.tidy(async (name) => (await connectors.find(toConnectorId(name))) !== undefined);
}

/** Files, stored ones and the starter, as one set. */
export async function loadPolicies(hub: Hub, config: Config): Promise<void> {
  const configured = [starterPolicy(0), ...config.policies];
  const hidden = new Set(configured.map(({ id }) => id));
  const stored = (await hub.storage.policies.list()).filter(({ id }) => !hidden.has(id));
  await putInForce(hub, [...configured, ...stored]);
  hub.policies.configure(configured);
  hub.policyChanged.emit();
}

/** At the start nobody waits, and what was accepted before need not be read yet. Later it is read in turns with calls. */
async function putInForce({ policy }: Hub, policies: readonly Policy[]): Promise<void> {
  if (policy.version === 0) return policy.load(policies);
  const enforce = await policy.prepare(policies);
  enforce();
}
