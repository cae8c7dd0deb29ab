import { INVALID_PARAMS, isObject, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';

const MAX_CURSOR_LENGTH = 8192;
const NO_PARAMS: JsonObject = {};

/** The parts of `params` that every server needs in the same shape. Throws; what else is there is the handler's business. */
export function checkParams(method: string, params: JsonObject = NO_PARAMS): void {
  switch (method) {
    case 'tools/call':
      requireText(params['name'], 'name');
      if (params['arguments'] !== undefined && !isObject(params['arguments'])) {
        throw new ProtocolError(INVALID_PARAMS, 'arguments must be an object');
      }
      return;
    case 'prompts/get':
      requireText(params['name'], 'name');
      checkTexts(params['arguments'], 'arguments');
      return;
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      requireText(params['uri'], 'uri');
      return;
    case 'tools/list':
    case 'prompts/list':
    case 'resources/list':
    case 'resources/templates/list':
      checkCursor(params['cursor']);
      return;
    case 'completion/complete':
      checkCompletion(params);
      return;
    case 'tasks/list':
      checkCursor(params['cursor']);
      return;
    case 'tasks/get':
    case 'tasks/result':
    case 'tasks/update':
    case 'tasks/cancel':
      requireText(params['taskId'], 'taskId');
  }
}

function requireText(value: Json | undefined, member: string): void {
  if (typeof value !== 'string' || value === '') {
    throw new ProtocolError(INVALID_PARAMS, `${member} must be a non-empty string`);
  }
}

/** Of prompts and of suggestions for them, all arguments are text. */
function checkTexts(value: Json | undefined, member: string): void {
  if (value === undefined) return;
  if (!isObject(value) || !Object.values(value).every((one) => typeof one === 'string')) {
    throw new ProtocolError(INVALID_PARAMS, `${member} must be an object of strings`);
  }
}

/** The empty string is a cursor like any other. */
function checkCursor(cursor: Json | undefined): void {
  if (cursor === undefined) return;
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH) {
    throw new ProtocolError(INVALID_PARAMS, 'invalid cursor');
  }
}

function checkCompletion(params: JsonObject): void {
  const { ref, argument, context } = params;
  const named =
    isObject(ref) &&
    ((ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') ||
      (ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string'));
  if (!named) throw new ProtocolError(INVALID_PARAMS, 'ref must name a prompt or a resource');
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'argument must have a name and a value');
  }
  if (context === undefined) return;
  if (!isObject(context)) throw new ProtocolError(INVALID_PARAMS, 'context must be an object');
  checkTexts(context['arguments'], 'context.arguments');
}
