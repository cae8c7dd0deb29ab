import type { ClientCapabilities } from '../model/index.js';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Whether a server may answer a tool call with a task. */
export function declaresTasks(capabilities: ClientCapabilities): boolean {
  return capabilities.extensions?.[TASKS_EXTENSION] !== undefined;
}
