import type { RoundOptions } from './upstream.js';

/**
 * The options of a call, some of them changed. The signal is not read: where there is `onAbort`, one is made only for those who need
 * it. So the others are named one by one; spreading them would read it.
 */
export function changedOptions<Changes extends object>(
  options: RoundOptions,
  changes: Changes,
): RoundOptions & Changes {
  return {
    get signal() {
      return options.signal;
    },
    onAbort: options.onAbort && ((listener) => options.onAbort?.(listener)),
    onProgress: options.onProgress,
    onLog: options.onLog,
    logLevel: options.logLevel,
    meta: options.meta,
    caller: options.caller,
    ask: options.ask,
    askedAs: options.askedAs,
    capabilities: options.capabilities,
    onVisited: options.onVisited,
    onSent: options.onSent,
    asTask: options.asTask,
    withoutTasks: options.withoutTasks,
    inputResponses: options.inputResponses,
    requestState: options.requestState,
    ...changes,
  };
}
