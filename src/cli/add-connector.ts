import { CliError, usageError } from './cli-error.js';
import { show, type Cli, type OutputOptions } from './cli.js';
import { toRemoteInput, type RemoteOptions } from './connector-options.js';
import { discovered } from './connector-text.js';
import { findConnector, requireConnector } from './find-connector.js';
import type { HubOptions } from './hub-address.js';
import type { HubClient } from './hub-client.js';
import { dataFolderOf, findRunningHub } from './hub-file.js';
import { watchReload } from './hub-reload.js';
import { changeOperatorFile, findOperatorFile } from './operator-file.js';
import { toStdioInput, type StdioOptions } from './stdio-options.js';
import { storeConnector } from './store-connector.js';
import { syncConnector, type SyncOutcome } from './sync-connector.js';
import { escapeLine } from './terminal/escape-text.js';
import { withProgress } from './terminal/progress.js';
import { withHub } from './with-hub.js';

export interface AddOptions extends RemoteOptions, StdioOptions, OutputOptions {
  /** Of the upstream; the hub's own address is `hubUrl` here. */
  readonly url?: string;
  readonly hubUrl?: string;
  readonly token?: string;
  readonly data?: string;
  readonly config?: string;
  readonly sync: boolean;
}

function hubOptions({ hubUrl, token, data }: AddOptions): HubOptions {
  return {
    ...(hubUrl !== undefined && { url: hubUrl }),
    ...(token !== undefined && { token }),
    ...(data !== undefined && { data }),
  };
}

/** Whether somebody said where the hub is. */
function isHubNamed({ environment }: Cli, { hubUrl }: AddOptions): boolean {
  return hubUrl !== undefined || (environment['CROSSPOINT_URL'] ?? '') !== '';
}

export async function addRemoteConnector(
  cli: Cli,
  id: string,
  url: string,
  options: AddOptions,
): Promise<void> {
  if (options.env !== undefined || options.cwd !== undefined || options.pin === true)
    throw usageError('--env, --cwd and --pin belong to a command, not to --url');
  const { connector, credential } = toRemoteInput(cli, url, options);
  const owner = options.credentialMode === 'per_agent' ? (options.agent ?? '') : 'shared';
  await withHub(cli, hubOptions(options), async (hub) => {
    await storeConnector(hub, { id, connector, credential, owner });
    await report(cli, hub, id, options);
  });
}

export async function addStdioConnector(
  cli: Cli,
  id: string,
  command: readonly string[],
  options: AddOptions,
): Promise<void> {
  const { checkConnector } = await import('../app/index.js');
  const { connector, variables } = await toStdioInput(cli, id, command, options);
  checkConnector(id, connector);
  const { config } = options;
  const file = await findOperatorFile(cli, {
    ...hubOptions(options),
    ...(config !== undefined && { config }),
  });
  if (file.connectors.includes(id))
    throw new CliError(`there is already a connector ${id} in ${file.path}`, { code: 'conflict' });
  const running =
    isHubNamed(cli, options) ||
    findRunningHub(dataFolderOf(options.data, cli.environment, cli.folder)) !== undefined;
  const write = (): Promise<void> =>
    changeOperatorFile(cli, hubOptions(options), file, [{ kind: 'set', id, connector }], variables);
  if (!running) {
    await write();
    show(cli, options, { id, file: file.path }, () =>
      cli.terminal.print(`Added ${id}. It is used when the hub starts: crosspoint serve`),
    );
    return;
  }
  await withHub(cli, hubOptions(options), async (hub) => {
    if ((await findConnector(hub, id))?.source === 'stored')
      throw new CliError(`there is already a connector ${id}`, { code: 'conflict' });
    const reload = await watchReload(hub);
    await write();
    await reload.until(id, (found) => found?.source === 'file');
    await report(cli, hub, id, options);
  });
}

/** The connector is there; what it offers is news, and no news of that is no failure of adding it. */
async function report(cli: Cli, hub: HubClient, id: string, options: AddOptions): Promise<void> {
  const connector = await requireConnector(hub, id);
  const whose = options.agent === undefined ? {} : { agent: options.agent };
  const sync: SyncOutcome | undefined =
    options.sync && connector.enabled
      ? await withProgress(cli.terminal, `Syncing ${id}`, () => syncConnector(hub, id, whose))
      : undefined;
  show(cli, options, { connector, ...(sync !== undefined && { sync }) }, () => {
    cli.terminal.print(`Added ${id}.`);
    if (sync === undefined) return;
    if ('error' in sync) {
      cli.terminal.note(cli.terminal.noteColors.yellow(`Sync failed: ${escapeLine(sync.error.message)}`));
      cli.terminal.note(`Find out why with "crosspoint doctor ${id}".`);
    } else {
      cli.terminal.print(discovered(connector.name, sync));
      if (sync.tools > 0) cli.terminal.note(`See them with "crosspoint tools --connector ${id}".`);
    }
  });
}
