/**
 * May it happen, is it well-formed, is the answer acceptable, and what happened: policy, validator, result guard and
 * event log. Deny wins, no match is deny, an evaluation that fails is deny. A call whose intent cannot be written does not happen.
 */
export { BYTES_PER_PAGE } from './events.js';
export type {
  Actor,
  CallFacts,
  CallOutcome,
  EventPage,
  EventQuery,
  EventReader,
  EventRecord,
  EventStore,
  HubEvent,
  HubEventType,
  NewEvent,
  RecordedArguments,
} from './events.js';
export type {
  Decision,
  AcceptedPolicies,
  Policy,
  PolicyEngine,
  PolicyHistory,
  PolicyQuestion,
  PolicyReader,
  PolicyStore,
  PolicyTarget,
  PolicyVersion,
  RiskClass,
  ToolFlags,
} from './policy.js';
export { createPolicyEngine, type PolicyEngineOptions } from './policy-engine.js';
export { createPolicyDirectory, type PolicyDirectory } from './policy-directory.js';
export type { PolicyProblem } from './cedar-problems.js';
export { findPolicyProblems } from './policy-problems.js';
export { POLICY_SCHEMA } from './policy-schema.js';
export { createValidator, type Validator } from './validator.js';
export { fitBlocks, guardResult, type GuardedResult } from './result-guard.js';
export { openEventLog, type EventLog, type EventLogOptions } from './event-log.js';
export {
  chainEvent,
  chainEvents,
  GENESIS_HASH,
  payloadOf,
  verifyChain,
  type ChainVerdict,
} from './event-chain.js';
export { flagsOf, riskOf } from './risk.js';
export { createArgumentsRecorder, type ArgumentsRecorder } from './recorded-arguments.js';
