import type { Connector } from '../connectors/index.js';
import type { FollowedTask } from '../mcp/client/index.js';
import { ProtocolError, type ErrorObject } from '../mcp/jsonrpc/index.js';
import type { TaskState } from '../mcp/model/index.js';
import { toHubError } from './upstream-failure.js';
import type { UpstreamTask } from './upstream.js';

/** Hears of answers and failures. */
interface Listening {
  readonly heard: <Answer>(answer: Answer) => Answer;
  readonly rethrow: (error: unknown) => never;
}

/** A task as operations see it. What it failed with is told as an error of the upstream is told elsewhere. */
export function toUpstreamTask(
  task: FollowedTask,
  connector: Connector,
  { heard, rethrow }: Listening,
): UpstreamTask {
  return {
    get asks() {
      return task.asks;
    },
    get: async (options) => withOwnError(await task.get(options).then(heard, rethrow), connector),
    update: (responses, options, refusals) => task.update(responses, options, refusals).then(heard, rethrow),
    cancel: (options) => task.cancel(options).then(heard, rethrow),
    close: () => task.close(),
  };
}

function withOwnError(state: TaskState, connector: Connector): TaskState {
  if (state.error === undefined) return state;
  const { code, message, data } = state.error;
  const failure = toHubError(new ProtocolError(code, message, data), connector);
  const rpcCode = failure.details?.['rpcCode'];
  const error: ErrorObject = {
    code: typeof rpcCode === 'number' ? rpcCode : -32_603,
    message: failure.message,
  };
  return { ...state, error };
}
