import type { Command } from 'commander';
import { ADMIN_ROUTES, type ConnectorView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { syncLines } from '../connector-text.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { describeSetAside } from '../set-aside.js';
import { syncConnector, type SyncOutcome } from '../sync-connector.js';
import { escapeLine } from '../terminal/escape-text.js';
import { withProgress } from '../terminal/progress.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly agent?: string;
  readonly accept?: boolean;
}

export function addConnectorSyncCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'sync [ids...]',
    summary: 'Fetch what upstreams offer now (without ids: all that are enabled)',
    examples: ['crosspoint connector sync github', 'crosspoint connector sync linear --agent ci'],
  })
    .option('--agent <agent>', 'whose credential may be used where listing needs one')
    .option('--accept', 'offer tools that changed and are held back')
    .action((ids: string[], options: Options) =>
      withHub(cli, options, async (hub) => {
        const connectors = await choose(hub, ids);
        const text = `Syncing ${connectors.map(({ id }) => id).join(', ')}`;
        const outcomes = await withProgress(cli.terminal, text, () =>
          Promise.all(connectors.map(({ id }) => syncConnector(hub, id, options))),
        );
        const named = connectors.map(
          (connector, index) => [connector, outcomes[index] as SyncOutcome] as const,
        );
        const data = named.map(([{ id }, outcome]) => ({ connector: id, ...outcome }));
        const notes = await Promise.all(
          named.filter(([, outcome]) => !('error' in outcome)).map(([{ id }]) => describeSetAside(hub, id)),
        );
        show(cli, options, ids.length === 1 ? data[0] : data, () => {
          for (const [connector, outcome] of named) print(cli, connector, outcome);
          for (const note of notes.flat()) cli.terminal.note(escapeLine(note));
          if (named.length === 0) cli.terminal.note('There is no connector that is enabled.');
        });
        if (outcomes.some((outcome) => 'error' in outcome)) cli.setExitCode(EXIT_FAILED);
      }),
    );
}

async function choose(hub: HubClient, ids: readonly string[]): Promise<readonly ConnectorView[]> {
  if (ids.length === 0)
    return (await hub.list(ADMIN_ROUTES.connectors.list, {})).filter(({ enabled }) => enabled);
  return Promise.all(ids.map((id) => requireConnector(hub, id)));
}

function print(cli: Cli, { id, name }: ConnectorView, outcome: SyncOutcome): void {
  const { terminal } = cli;
  if ('error' in outcome) {
    terminal.note(terminal.noteColors.red(`Sync failed: ${escapeLine(outcome.error.message)}`));
    terminal.note(`Find out why with "crosspoint doctor ${id}".`);
  } else terminal.print(syncLines(name, outcome).join('\n'));
}
