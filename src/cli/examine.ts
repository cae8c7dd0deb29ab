import type { RecentCall, Step } from '../app/index.js';
import { ADMIN_ROUTES, type ConnectorView, type EventView } from '../contract/index.js';
import type { Cli } from './cli.js';
import type { HubClient } from './hub-client.js';
import { lastWords } from './last-words.js';
import { describeSetAside } from './set-aside.js';
import { syncConnector } from './sync-connector.js';
import { withProgress } from './terminal/progress.js';

/** An address nobody told the hub about: everything is tried from this machine, without a credential. */
export async function* examineAddress(url: URL): AsyncGenerator<Step> {
  const { checkAddress, checkServer } = await import('../app/index.js');
  for await (const step of checkAddress(url)) {
    yield step;
    if (step.state === 'failed') return;
  }
  yield* checkServer(url);
}

/**
 * A connector: the way to it is tried from this machine where the hub is on it too; protocol, credential and list are
 * tried by the hub, because only the hub has the credential.
 */
export async function* examineConnector(
  cli: Cli,
  hub: HubClient,
  connector: ConnectorView,
  isHere: boolean,
): AsyncGenerator<Step> {
  const { checkAddress, explainSyncFailure, failed, skipped } = await import('../app/index.js');
  const { id, url, command, enabled, credentialMode, auth, era } = connector;
  if (!enabled) {
    yield failed(
      'list',
      'the connector is disabled',
      `Switch it on with "crosspoint connector enable ${id}".`,
    );
    return;
  }
  if (url !== undefined) {
    // What looks like a secret is masked, so a masked address cannot be tried from here.
    if (!isHere) yield skipped('dns', 'the hub is on another machine, so the way is not tried from here');
    else if (url.includes('***'))
      yield skipped('dns', 'the address contains a secret, so the way is not tried from here');
    else {
      for await (const step of checkAddress(new URL(url))) {
        yield step;
        if (step.state === 'failed') return;
      }
    }
  }
  const outcome = await withProgress(cli.terminal, `Asking ${id}`, () => syncConnector(hub, id));
  if ('error' in outcome) {
    const isPerAgent = credentialMode === 'per_agent';
    const isCommand = command !== undefined;
    const step = explainSyncFailure(id, outcome.error, {
      isCommand,
      isPerAgent,
      hasAuth: auth.type !== 'none',
      command,
      era: era === 'auto' ? undefined : era,
    });
    yield isCommand ? await withLastWords(hub, id, step) : step;
  } else yield* describeSynced(hub, id);
  yield await describeCalls(hub, id);
}

/** What a process said last, and how it ended, mostly tells why it does not serve. */
async function withLastWords(hub: HubClient, id: string, step: Step): Promise<Step> {
  const { lines } = await hub.ask(ADMIN_ROUTES.connectors.logs, { path: { id } });
  const said = lastWords(lines);
  return said.length === 0 ? step : { ...step, detail: `${step.detail}. It said: ${said.join(' / ')}` };
}

async function* describeSynced(hub: HubClient, id: string): AsyncGenerator<Step> {
  const { adviceForOffer, ok, skipped } = await import('../app/index.js');
  const { command, auth, sync } = await hub.ask(ADMIN_ROUTES.connectors.get, { path: { id } });
  if (sync === null) return;
  if (command !== undefined) yield ok('command', `${command} runs`);
  yield ok(
    'era',
    `${sync.upstream.era} (${sync.upstream.revision}), ${sync.upstream.name} ${sync.upstream.version ?? ''}`.trim(),
  );
  yield auth.type === 'none' ? skipped('auth', 'none is needed') : ok('auth', `listed as ${sync.listedAs}`);
  yield ok(
    'list',
    `${sync.tools} tools${sync.rejected > 0 ? `, ${sync.rejected} definitions that cannot be offered` : ''}`,
    sync.rejected > 0 ? (await describeSetAside(hub, id)).join(' ') : adviceForOffer(sync.tools, 0),
  );
}

const RECENT = 50;

/** Those that ended and those that were refused, the newest of both. */
async function describeCalls(hub: HubClient, id: string): Promise<Step> {
  const { explainCalls } = await import('../app/index.js');
  const pages = await Promise.all(
    (['call.finished', 'call.refused'] as const).map((type) =>
      hub.ask(ADMIN_ROUTES.events.list, { query: { connector: id, type, limit: RECENT } }),
    ),
  );
  const calls = pages
    .flatMap(({ items }) => items)
    .toSorted((a, b) => b.sequence - a.sequence)
    .slice(0, RECENT)
    .map(toRecentCall);
  return explainCalls(id, calls);
}

/** Further members of an event depend on its type; both kinds have these. */
function toRecentCall({ outcome, error }: EventView): RecentCall {
  return { outcome: String(outcome), error: typeof error === 'string' ? error : undefined };
}
