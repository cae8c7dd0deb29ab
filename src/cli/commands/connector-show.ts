import type { Command } from 'commander';
import type { ConnectorDetail, ConnectorView, CredentialView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { addressOf } from '../connector-text.js';
import type { HubOptions } from '../hub-address.js';
import { count, formatMoment, renderFields } from '../terminal/format.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

export function addConnectorShowCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'show <id>',
    summary: 'One connector in full; secrets are never shown',
    examples: ['crosspoint connector show github'],
  }).action((id: string, options: HubOptions & OutputOptions) =>
    withHub(cli, options, async (hub) => {
      const connector = await requireConnector(hub, id);
      show(cli, options, connector, () => cli.terminal.print(describe(connector)));
    }),
  );
}

function describe(connector: ConnectorDetail): string {
  const { health, sync, timeouts, limits } = connector;
  return renderFields([
    ['ID', connector.id],
    ['Name', connector.name],
    ['Address', addressOf(connector)],
    ['Folder', connector.cwd],
    ['Pinned', Object.keys(connector.pins ?? {}).join(', ')],
    ['Environment', Object.keys(connector.env ?? {}).join(', ')],
    ['Transport', connector.transport.replace('_', ' ')],
    ['Credential', describeAuth(connector)],
    ['Known for', connector.credentials.map(describeCredential).join(', ')],
    ['State', `${health.state}${health.since === undefined ? '' : ` since ${formatMoment(health.since)}`}`],
    ['Problem', health.reason],
    ['Upstream', sync === null ? undefined : `${sync.upstream.name} ${sync.upstream.version ?? ''}`.trim()],
    ['Protocol', sync === null ? connector.era : `${sync.upstream.era} (${sync.upstream.revision})`],
    ['Offers', describeOffers(connector)],
    [
      'Set aside',
      sync === null || sync.rejected === 0
        ? undefined
        : `${count(sync.rejected, 'definition')} that cannot be offered`,
    ],
    ['Synced', sync === null ? 'never' : `${formatMoment(sync.syncedAt)}, as ${sync.listedAs}`],
    ['Isolation', connector.isolation.replace('_', ' ')],
    [
      'Times',
      `connect ${timeouts.connectMs} ms, request ${timeouts.requestMs} ms, total ${timeouts.totalMs} ms`,
    ],
    [
      'Limits',
      `answer ${limits.responseBytes} bytes, result ${limits.resultBytes} bytes, ${limits.concurrency} calls at once`,
    ],
    ['Tags', connector.tags.join(', ')],
    ['Source', connector.source.replace('_', '-')],
  ]);
}

function describeCredential({ owner, account, isDefault, last4, state, reason }: CredentialView): string {
  const more = [
    ...(last4 === undefined ? [] : [`…${last4}`]),
    ...(account === 'default' ? [] : [account]),
    ...(isDefault ? [] : ['not used']),
    ...(state === 'valid'
      ? []
      : [`${state.replaceAll('_', ' ')}${reason === undefined ? '' : `: ${reason}`}`]),
  ];
  return more.length === 0 ? owner : `${owner} (${more.join(', ')})`;
}

function describeOffers({ sync }: ConnectorView): string | undefined {
  if (sync === null) return undefined;
  return [count(sync.tools, 'tool'), count(sync.prompts, 'prompt'), count(sync.resources, 'resource')].join(
    ', ',
  );
}

function describeAuth({ auth, credentialMode }: ConnectorView): string {
  const mode = credentialMode.replace('_', ' ');
  const known = (secret: { readonly set: boolean; readonly last4?: string | undefined }): string => {
    if (!secret.set) return 'not set';
    return secret.last4 === undefined ? 'set' : `…${secret.last4}`;
  };
  switch (auth.type) {
    case 'none':
      return 'none needed';
    case 'bearer':
      return `bearer token, ${mode}: ${known(auth.token)}`;
    case 'api_key':
      return `API key in ${auth.header}, ${mode}: ${known(auth.value)}`;
    case 'header':
      return `headers, ${mode}: ${Object.entries(auth.headers)
        .map(([name, value]) => `${name} ${known(value)}`)
        .join(', ')}`;
    case 'oauth':
    case 'client_credentials':
      return `${auth.type.replace('_', ' ')}, ${mode}`;
  }
}
