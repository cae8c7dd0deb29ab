import { runScenarios } from './scenario.js';
import { ADMIN_SCENARIOS } from './scenarios/admins.js';
import { AGENT_SCENARIOS } from './scenarios/agents.js';
import { CLIENT_SCENARIOS } from './scenarios/clients.js';
import { EVENT_SCENARIOS } from './scenarios/events.js';
import { POLICY_SCENARIOS } from './scenarios/policies.js';
import { POLICY_HISTORY_SCENARIOS } from './scenarios/policy-history.js';
import { REQUEST_SCENARIOS } from './scenarios/requests.js';
import { TOOL_SCENARIOS } from './scenarios/tools.js';

runScenarios([
  ...REQUEST_SCENARIOS,
  ...ADMIN_SCENARIOS,
  ...AGENT_SCENARIOS,
  ...CLIENT_SCENARIOS,
  ...TOOL_SCENARIOS,
  ...POLICY_SCENARIOS,
  ...POLICY_HISTORY_SCENARIOS,
  ...EVENT_SCENARIOS,
]);
