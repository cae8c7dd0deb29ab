import { runScenarios } from './scenario.js';
import { ACCOUNT_SCENARIOS } from './scenarios/accounts.js';
import { CONNECTOR_ADDITIONS } from './scenarios/connector-additions.js';
import { CONNECTOR_CHANGES } from './scenarios/connector-changes.js';
import { CONNECTOR_USE } from './scenarios/connector-use.js';
import { CREDENTIAL_SCENARIOS } from './scenarios/credentials.js';

runScenarios([
  ...ACCOUNT_SCENARIOS,
  ...CONNECTOR_ADDITIONS,
  ...CONNECTOR_CHANGES,
  ...CONNECTOR_USE,
  ...CREDENTIAL_SCENARIOS,
]);
