import type { ConfigEdit } from '../app/index.js';
import type { ConnectorView } from '../contract/index.js';
import { CliError } from './cli-error.js';
import type { Cli } from './cli.js';
import type { HubClient } from './hub-client.js';
import { watchReload } from './hub-reload.js';
import { changeOperatorFile, findOperatorFile, type OperatorFileOptions } from './operator-file.js';

/** Changes a connector that the operator's file describes, in that file, and waits for the hub to follow. */
export async function changeConfigured(
  cli: Cli,
  hub: HubClient,
  options: OperatorFileOptions,
  connector: ConnectorView,
  edit: ConfigEdit,
  isDone: (connector: ConnectorView | undefined) => boolean,
): Promise<void> {
  const { id, source } = connector;
  if (source === 'environment') {
    const variable = `MCP_SERVER_${id.toUpperCase().replaceAll('-', '__')}_…`;
    throw new CliError(`${id} comes from the environment of the hub`, {
      code: 'conflict',
      hint: `Change its variables (${variable}) and start the hub again.`,
    });
  }
  if (source === 'built_in') {
    throw new CliError(`${id} is part of the hub`, {
      code: 'conflict',
      hint: 'It goes away as soon as a configuration file exists.',
    });
  }
  const file = await findOperatorFile(cli, options);
  if (!file.connectors.includes(id)) {
    throw new CliError(`${id} is not in ${file.path}`, {
      code: 'conflict',
      hint: 'Name the configuration file of the hub with --config.',
    });
  }
  const reload = await watchReload(hub);
  await changeOperatorFile(cli, options, file, [edit]);
  await reload.until(id, isDone);
}
