import { INVALID_PARAMS, isObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.js';
import { declaresTasks, TASKS_EXTENSION, type InputResponses } from '../../model/index.js';
import { missingCapability, writeTaskState } from '../../wire/index.js';
import type { Handler, McpRequest } from '../handler.js';
import type { TaskPort } from './task-port.js';

/** The methods of the extension. */
export function modernTaskHandlers(port: TaskPort): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ['tasks/get', declared(async (request) => writeTaskState(await port.get(request, idOf(request))))],
    [
      'tasks/update',
      declared(async (request) => {
        await port.update(request, idOf(request), answersIn(request.params));
        return {};
      }),
    ],
    [
      'tasks/cancel',
      declared(async (request) => {
        await port.cancel(request, idOf(request), false);
        return {};
      }),
    ],
  ]);
}

/** Who did not say that it knows tasks is told what it lacks. */
function declared(handler: (request: McpRequest) => Promise<JsonObject>): Handler {
  return (request) => {
    if (declaresTasks(request.client.capabilities)) return handler(request);
    throw missingCapability('Tasks were not declared', { extensions: { [TASKS_EXTENSION]: {} } });
  };
}

/** Its shape was checked with the other params. */
export function idOf({ params }: McpRequest): string {
  return params['taskId'] as string;
}

function answersIn({ inputResponses }: JsonObject): InputResponses {
  if (isObject(inputResponses) && Object.values(inputResponses).every((one) => isObject(one)))
    return inputResponses as InputResponses;
  throw new ProtocolError(INVALID_PARAMS, 'inputResponses must be an object of objects');
}
