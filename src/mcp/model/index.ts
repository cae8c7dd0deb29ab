/**
 * MCP without a revision: what clients and servers tell, offer, ask and answer. The meaning is that of the newest
 * revision; older ones are adapted to it in `wire`. Data only; unknown members are kept everywhere.
 */
export {
  supportsElicitation,
  type ClientCapabilities,
  type ClientDescription,
  type ElicitationMode,
  type Implementation,
  type ServerCapabilities,
  type ServerDescription,
} from './capabilities.js';
export type { Prompt, Resource, ResourceTemplate, Tool, ToolAnnotations } from './offers.js';
export { PARAM_HEADER, withoutParamHeaders } from './param-annotations.js';
export { mapMembers, positionOf, rewriteSchema } from './schema-keywords.js';
export type { CallResult, CompletionResult, ContentBlock, PromptResult, ReadResult } from './results.js';
export {
  isLogLevel,
  isPartOfResource,
  isWebPage,
  leadsAstray,
  LOG_LEVELS,
  reachesLevel,
  type ChangeNotification,
  type InputRequest,
  type InputRequests,
  type InputRefusals,
  type InputResponses,
  type LogLevel,
  type LogMessage,
  type Progress,
  type SubscriptionFilter,
} from './interaction.js';
export {
  declaresTasks,
  isEnded,
  isTaskStatus,
  supportsTasks,
  TASKS_EXTENSION,
  taskSupportOf,
  type Task,
  type TaskState,
  type TaskStatus,
  type TaskWish,
} from './tasks.js';
