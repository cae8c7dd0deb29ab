/**
 * The hub's core for programs that want no hub: tools of several servers as one snapshot for a model, and an executor
 * that routes its calls. Opens only what it was told to, closes what it opened.
 */
export {
  buildSnapshot,
  type SnapshotOptions,
  type ToolSnapshot,
  type ToolSource,
  type ToolTarget,
} from './tool-snapshot.js';
export {
  createExecutor,
  type Envelope,
  type Execute,
  type ExecuteOptions,
  type ExecutorOptions,
  type Notice,
} from './executor.js';
export type { Definitions } from './definitions.js';
