import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  mapMembers,
  supportsElicitation,
  type ClientCapabilities,
  type InputRequest,
} from '../model/index.js';
import { reducedKinds, toLegacyMessage } from './legacy-result.js';
import { isAtLeast, type LegacyRevision } from './revisions.js';

/** A live request to a legacy client, or the reason why that client cannot be asked. */
type LegacyInput = { readonly method: string; readonly params: JsonObject | undefined } | string;

/** `newId` makes the `elicitationId` that URL elicitations had in the legacy era. */
export function toLegacyInput(
  request: InputRequest,
  revision: LegacyRevision,
  newId: () => string,
): LegacyInput {
  switch (request.method) {
    case 'roots/list':
      return { method: request.method, params: request.params };
    case 'sampling/createMessage':
      return toLegacySampling(request, revision);
    case 'elicitation/create':
      return toLegacyElicitation(request, revision, newId);
  }
}

/**
 * What a client of this revision is not told of a question that it is asked: `default` for default values of a form, or
 * kinds of content that became text. Nothing for questions that it cannot be asked at all.
 */
export function reducedInput(
  { method, params = {} }: InputRequest,
  revision: LegacyRevision,
): readonly string[] {
  if (isAtLeast(revision, '2025-11-25')) return [];
  switch (method) {
    case 'roots/list':
      return [];
    case 'sampling/createMessage':
      return isAtLeast(revision, '2025-03-26') || usesSamplingTools(params)
        ? []
        : reducedKinds('prompts/get', params, revision);
    case 'elicitation/create': {
      const { mode = 'form', requestedSchema: schema } = params;
      const properties = isObject(schema) ? schema['properties'] : undefined;
      if (!isAtLeast(revision, '2025-06-18') || mode !== 'form' || !isObject(properties)) return [];
      const fields = Object.values(properties);
      return fields.every(isExpressible) && fields.some(losesDefault) ? ['default'] : [];
    }
  }
}

function toLegacySampling(request: InputRequest, revision: LegacyRevision): LegacyInput {
  const { method, params } = request;
  if (!isAtLeast(revision, '2025-11-25') && usesSamplingTools(params)) {
    return 'the client speaks a protocol version without tools in sampling';
  }
  const messages = params?.['messages'];
  if (isAtLeast(revision, '2025-03-26') || !Array.isArray(messages)) return { method, params };
  const old = messages.map((message: Json) => toLegacyMessage(message, revision));
  return { method, params: { ...params, messages: old } };
}

function toLegacyElicitation(
  request: InputRequest,
  revision: LegacyRevision,
  newId: () => string,
): LegacyInput {
  const { method } = request;
  if (!isAtLeast(revision, '2025-06-18')) return 'the client speaks a protocol version without elicitation';
  const { mode = 'form', ...params } = request.params ?? {};
  if (mode === 'url') {
    if (!isAtLeast(revision, '2025-11-25')) {
      return 'the client speaks a protocol version without URL elicitation';
    }
    return { method, params: { elicitationId: newId(), ...params, mode } };
  }
  if (mode !== 'form') return 'the elicitation has an unknown mode';
  if (isAtLeast(revision, '2025-11-25')) return { method, params: { ...params, mode } };
  const schema = toOldFormSchema(params['requestedSchema']);
  return schema === undefined
    ? 'the form has fields that the protocol version of the client cannot express'
    : { method, params: { ...params, requestedSchema: schema } };
}

/** The first revision with forms knew only `enum` with `enumNames`, defaults only on booleans, and no lists of choices. */
function toOldFormSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  if (!Object.values(schema['properties']).every(isExpressible)) return undefined;
  return { ...schema, properties: mapMembers(schema['properties'], toOldField) };
}

function isExpressible(field: Json | undefined): boolean {
  if (!isObject(field) || field['type'] === 'array' || field['type'] === 'object') return false;
  const { oneOf } = field;
  return oneOf === undefined || (Array.isArray(oneOf) && oneOf.every(isChoice));
}

function losesDefault(field: Json | undefined): boolean {
  return isObject(field) && field['default'] !== undefined && field['type'] !== 'boolean';
}

function isChoice(value: Json): value is JsonObject {
  return isObject(value) && value['const'] !== undefined;
}

function toOldField(field: Json): Json {
  if (!isObject(field)) return field;
  const { default: initial, oneOf, ...rest } = field;
  const kept = field['type'] === 'boolean' && initial !== undefined ? { ...rest, default: initial } : rest;
  if (!Array.isArray(oneOf)) return kept;
  const choices = oneOf.filter(isChoice);
  return {
    ...kept,
    enum: choices.map((choice) => choice['const'] ?? null),
    enumNames: choices.map((choice) => choice['title'] ?? choice['const'] ?? null),
  };
}

/** Why a client with these capabilities may not be asked this; undefined if it may. */
export function missingForInput(
  request: InputRequest,
  capabilities: ClientCapabilities,
): ClientCapabilities | undefined {
  switch (request.method) {
    case 'roots/list':
      return isObject(capabilities.roots) ? undefined : { roots: {} };
    case 'sampling/createMessage': {
      const usesTools = usesSamplingTools(request.params);
      const { sampling } = capabilities;
      if (!isObject(sampling)) return { sampling: usesTools ? { tools: {} } : {} };
      return usesTools && sampling['tools'] === undefined ? { sampling: { tools: {} } } : undefined;
    }
    case 'elicitation/create': {
      const mode = request.params?.['mode'] ?? 'form';
      // There is nothing to declare for a mode that nobody knows.
      if (mode !== 'form' && mode !== 'url') return { elicitation: {} };
      return supportsElicitation(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
  }
}

/** Lists of blocks and blocks of tool use came with the tools, and a client without them cannot read either. */
function usesSamplingTools(params: JsonObject | undefined): boolean {
  if (params?.['tools'] !== undefined || params?.['toolChoice'] !== undefined) return true;
  const messages = params?.['messages'];
  if (!Array.isArray(messages)) return false;
  return messages.some((message: Json) => {
    const content = isObject(message) ? message['content'] : undefined;
    return Array.isArray(content) || (isObject(content) && TOOL_BLOCKS.has(content['type']));
  });
}

const TOOL_BLOCKS: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result']);
