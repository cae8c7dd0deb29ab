/** Configuration, composition, schedule and shutdown: the only code that knows every module. */
export type { Config, ConfigSource, Flags } from './config/config.js';
export { loadConfig, type ConfigOrigin } from './config/load-config.js';
export { isSameConfig } from './config/next-start.js';
export { CONFIG_FILES } from './config/read-file.js';
export { describeConfig, type ConfigLine } from './config/describe-config.js';
export { configJsonSchema } from './config/config-schema.js';
export { checkPolicies, readPolicyFile, toFilePolicy } from './config/check-policies.js';
export { createLogger } from './logger.js';
export type { RunningHub } from './serve.js';
export { openWaitingRoom, startHub } from './start-hub.js';
export { openWorkerPrimary, type WorkerPrimary } from './start-workers.js';
export { openWorkerLink, type WorkerLink } from '../coordination/index.js';
export {
  forgetVariables,
  readSealedVariables,
  sealVariables,
  type VariableVault,
} from './sealed-variables.js';
export { leadsIntoPrivateNetwork } from './private-network.js';
export {
  adviceForOffer,
  checkAddress,
  checkServer,
  explainCalls,
  explainSyncFailure,
  failed,
  ok,
  skipped,
  type RecentCall,
  type Step,
} from './doctor/index.js';
export { createKeychain } from './keychain.js';
export { pinCommand } from './pin-command.js';
export { backupHub } from './maintenance/backup-hub.js';
export { restoreHub } from './maintenance/restore-hub.js';
export {
  checkConnector,
  clientFiles,
  editOperatorFile,
  hideSecrets,
  openOperatorFile,
  planImport,
  questionsOf,
  readClientFile,
  systemPlace,
  type ClientContent,
  type ClientInput,
  type ClientName,
  type ConfigEdit,
  type ImportedServer,
  type OperatorFile,
} from './import/index.js';
