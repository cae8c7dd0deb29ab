import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addAdminCommands } from './admin.js';
import { addAgentCommands } from './agent.js';
import { addBackupCommand } from './backup.js';
import { addCallCommand } from './call.js';
import { addConfigCommands } from './config.js';
import { addConnectorCommands } from './connector.js';
import { addDoctorCommand } from './doctor.js';
import { addEventsCommand } from './events.js';
import { addImportCommand } from './import.js';
import { addKeychainCommands } from './keychain.js';
import { addMasterKeyCommands } from './master-key.js';
import { addPolicyCommands } from './policy.js';
import { addRestoreCommand } from './restore.js';
import { addServeCommand } from './serve.js';
import { addSignInLinkCommand } from './sign-in-link.js';
import { addToolsCommand } from './tools.js';

export function addAllCommands(program: Command, cli: Cli): void {
  addServeCommand(program, cli);
  addConnectorCommands(program, cli);
  addImportCommand(program, cli);
  addToolsCommand(program, cli);
  addCallCommand(program, cli);
  addAgentCommands(program, cli);
  addAdminCommands(program, cli);
  addSignInLinkCommand(program, cli);
  addPolicyCommands(program, cli);
  addEventsCommand(program, cli);
  addDoctorCommand(program, cli);
  addConfigCommands(program, cli);
  addMasterKeyCommands(program, cli);
  addKeychainCommands(program, cli);
  addBackupCommand(program, cli);
  addRestoreCommand(program, cli);
}
