import { ADMIN_ACCOUNT_ROUTES } from './admins.js';
import { AGENT_ROUTES } from './agents.js';
import { CLIENT_ROUTES } from './clients.js';
import { CONNECTOR_ROUTES } from './connectors.js';
import { CREDENTIAL_ROUTES } from './credentials.js';
import { EVENT_ROUTES } from './events.js';
import { MASTER_KEY_ROUTES } from './master-key.js';
import { POLICY_ROUTES } from './policies.js';
import { STATISTICS_ROUTES } from './statistics.js';
import { SESSION_ROUTES } from './session.js';
import { STATUS_ROUTES } from './status.js';
import { TOOL_ROUTES } from './tools.js';

/** The whole admin API. */
export const ADMIN_ROUTES = {
  connectors: CONNECTOR_ROUTES,
  credentials: CREDENTIAL_ROUTES,
  agents: AGENT_ROUTES,
  clients: CLIENT_ROUTES,
  tools: TOOL_ROUTES,
  policies: POLICY_ROUTES,
  events: EVENT_ROUTES,
  statistics: STATISTICS_ROUTES,
  masterKey: MASTER_KEY_ROUTES,
  admins: ADMIN_ACCOUNT_ROUTES,
  session: SESSION_ROUTES,
  status: STATUS_ROUTES,
} as const;
