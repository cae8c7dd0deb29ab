/** What crosses the hub's borders, as data: the shapes of the admin API and of configuration. No behaviour. */
export type { IssuerInput, TokenAuthInput } from './auth-input.js';
export type { TelemetryInput } from './telemetry-input.js';
export {
  connectorInput,
  HTTP_FIELDS,
  STDIO_FIELDS,
  type AuthInput,
  type ConnectorInput,
} from './connector-input.js';
export type { AdminInput } from './admin-input.js';
export { configInput, type ConfigInput } from './config-input.js';
export {
  ADMIN_BASE_PATH,
  ADMIN_ROLES,
  type AdminRole,
  type AdminRoute,
  type PathNames,
} from './admin/route.js';
export { ADMIN_ROUTES } from './admin/routes.js';
export {
  DEFAULT_PAGE,
  errorAnswer,
  MAX_PAGE,
  type ErrorAnswer,
  type PageQuery,
  type SecretState,
} from './admin/answers.js';
export type {
  CheckAnswer,
  CheckStep,
  ConnectorAddition,
  ConnectorDetail,
  ConnectorPatch,
  ConnectorView,
  HealthView,
  SyncAnswer,
} from './admin/connectors.js';
export type { CredentialInput, CredentialView, SavedCredentialView } from './admin/credentials.js';
export type { AgentAddition, AgentDetail, AgentKeyView, AgentPatch, AgentView } from './admin/agents.js';
export type { AdminAddition, AdminView } from './admin/admins.js';
export type { CallAnswer, ToolView } from './admin/tools.js';
export type { CallStage, ToolCallEvent, ToolCallQuestion } from './admin/call-events.js';
export type { PolicyCheck, PolicyExplanation, PolicyVersionView, PolicyView } from './admin/policies.js';
export { CALL_OUTCOMES, EVENT_TYPES, type EventFilters, type EventView } from './admin/events.js';
export type { StatisticsView } from './admin/statistics.js';
export type { StatusView } from './admin/status.js';
