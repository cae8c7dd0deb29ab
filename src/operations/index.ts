/** What the hub does, one straight-line file each. Operations see agents and values, never sessions, revisions or HTTP. */
export { RepeatedCalls } from './repeated-calls.js';
export { keptOfAgent } from './kept-of-agent.js';
export { createPassThrough, type PassThrough } from './pass-through.js';
export { createBridgeLosses, type BridgeLosses } from './bridge-losses.js';
export { createCallTool, type CallTool, type CallToolDependencies, type ToolCall } from './call-tool.js';
export {
  createCallStatistics,
  type CallShare,
  type CallStatistics,
  type CallStatisticsBook,
  type CallSummary,
} from './call-statistics.js';
export { createCallQuestions, type CallQuestions, type QuestionEnd } from './call-questions.js';
export type { CallWatch, OutgoingRequest } from './call-watch.js';
export { createCompleteArgument, type CompleteArgument, type CompletionQuery } from './complete-argument.js';
export { createGetPrompt, type GetPrompt, type PromptRequest } from './get-prompt.js';
export { createReadResource, type ReadResource, type ResourceRequest } from './read-resource.js';
export { POLICY_TURN } from './policy-writes.js';
export { createSharedRateLimits } from './shared-rate-limits.js';
export { createRateLimits, type RateLimits, type RateLimitSettings } from './rate-limits.js';
export { createSurfaces, type Surfaces } from './surfaces.js';
export {
  createSyncConnector,
  type SyncConnector,
  type SyncReport,
  type SyncRequest,
} from './sync-connector.js';
export {
  createHealthBook,
  type ConnectorHealth,
  type HealthBook,
  type HealthState,
} from './connector-health.js';
export { AttemptWindow } from './attempt-window.js';
export {
  createClientApprovals,
  type ApprovedClient,
  type ClientApproval,
  type ClientApprovals,
} from './client-approvals.js';
export { createEnrolAgent, type EnrolAgentDependencies } from './enrol-agent.js';
export { createNoteRefusedCaller, type NoteRefusedCaller } from './note-refused-caller.js';
export { type Admin, type AdminCaller, type SignedInBrowser } from './admin.js';
export { type AddAdmin, type RemoveAdmin } from './admin-account-writes.js';
export { createRefusedAttempts, type RefusedAttempts } from './refused-attempts.js';
export { createSignIn, type SignedIn, type SignIn } from './sign-in.js';
export { createSignInElsewhere, type SignInElsewhere } from './sign-in-elsewhere.js';
export { createAddSignInLink, type AddSignInLink } from './sign-in-link.js';
export {
  createAdminOperations,
  type AdminOperations,
  type AdminOperationsDependencies,
} from './admin-operations.js';
export {
  createCheckAdminToken,
  type CheckAdminToken,
  type CheckAdminTokenDependencies,
} from './check-admin-token.js';
export { type AddConnector } from './add-connector.js';
export { type ChangeConnector } from './change-connector.js';
export { type SetConnectorEnabled } from './set-connector-enabled.js';
export { type RemoveConnector } from './remove-connector.js';
export { type SaveCredential, type SavedCredential } from './save-credential.js';
export { type SyncAttempt } from './sync-if-unknown.js';
export {
  createConnectionOperations,
  type ConnectionDependencies,
  type ConnectionOperations,
} from './connection-operations.js';
export { CALLBACK_PATH, type BeginConnection } from './begin-connection.js';
export {
  type ConnectedAccount,
  type FinishConnection,
  type FinishedConnection,
} from './finish-connection.js';
export { CONNECT_PATH, type ConnectPage, type ConnectPages } from './connect-pages.js';
export { type Initiator, type ReturnTarget } from './pending-connections.js';
export { type AccountDesk } from './account-desk.js';
export { type ChooseAccount } from './choose-account.js';
export { type RemoveCredential } from './remove-credential.js';
export { type AddAgent } from './add-agent.js';
export { type ChangeAgent } from './change-agent.js';
export { type RemoveAgent } from './remove-agent.js';
export { type AddAgentKey } from './add-agent-key.js';
export { type RevokeAgentKey } from './revoke-agent-key.js';
export { type SavePolicy } from './save-policy.js';
export { type RemovePolicy } from './remove-policy.js';
export { type ExplainPolicy, type Explanation } from './explain-policy.js';
export type { EventFilter } from './export-events.js';
export { type VerifyEvents } from './verify-events.js';
export { createTurns, type Turns } from './turns.js';
export type { MasterKeyPort, MasterKeyState, RotatedMasterKey } from './rotate-master-key.js';
export { FlowBook } from './flow-book.js';
export { HeldElsewhere } from './held-elsewhere.js';
export { findTaker, TakenCalls } from './taken-calls.js';
export { HeldCalls, type HeldCallsOptions } from './held-calls.js';
export { Suspended, type Rounds } from './suspended.js';
export { createWatchResource, type WatchRequest, type WatchResource } from './watch-resource.js';
export { TaskDesk } from './tasks/task-desk.js';
export { TaskBegun } from './tasks/task-begun.js';
export type { TaskRequest } from './tasks/task-request.js';
