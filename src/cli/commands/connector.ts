import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addConnectorAccountCommands } from './connector-account.js';
import { addConnectorAddCommand } from './connector-add.js';
import { addConnectorConnectCommand } from './connector-connect.js';
import { addConnectorHealthCommand } from './connector-health.js';
import { addConnectorListCommand } from './connector-list.js';
import { addConnectorLogsCommand } from './connector-logs.js';
import { addConnectorRemoveCommand } from './connector-remove.js';
import { addConnectorShowCommand } from './connector-show.js';
import { addConnectorSwitchCommands } from './connector-switch.js';
import { addConnectorSyncCommand } from './connector-sync.js';

export function addConnectorCommands(program: Command, cli: Cli): void {
  const connector = program
    .command('connector')
    .description('Add, look at and change connectors to upstreams');
  addConnectorAddCommand(connector, cli);
  addConnectorListCommand(connector, cli);
  addConnectorShowCommand(connector, cli);
  addConnectorSyncCommand(connector, cli);
  addConnectorSwitchCommands(connector, cli);
  addConnectorRemoveCommand(connector, cli);
  addConnectorConnectCommand(connector, cli);
  addConnectorAccountCommands(connector, cli);
  addConnectorHealthCommand(connector, cli);
  addConnectorLogsCommand(connector, cli);
}
