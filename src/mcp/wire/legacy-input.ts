import { isObject, type Json, type JsonObject } from '../jsonrpc/index.js';
import { supportsElicitation, type ClientCapabilities, type InputRequest } from '../model/index.js';
import { isAtLeast, type LegacyRevision } from './revisions.js';

/**
 * An input request as a live request to a legacy client, or the reason why that client cannot be asked.
 * `newId` makes the `elicitationId` that URL elicitations had in the legacy era.
 */
export function toLegacyInput(
  request: InputRequest,
  revision: LegacyRevision,
  newId: () => string,
): { readonly method: string; readonly params: JsonObject | undefined } | string {
  if (request.method !== 'elicitation/create') return { method: request.method, params: request.params };
  if (!isAtLeast(revision, '2025-06-18')) return 'the client speaks a protocol version without elicitation';
  const { mode = 'form', ...params } = request.params ?? {};
  if (mode === 'url') {
    if (!isAtLeast(revision, '2025-11-25')) return 'the client speaks a protocol version without URL elicitation';
    return { method: request.method, params: { elicitationId: newId(), ...params, mode } };
  }
  if (isAtLeast(revision, '2025-11-25')) return { method: request.method, params: { ...params, mode } };
  const schema = toOldFormSchema(params['requestedSchema']);
  return schema === undefined
    ? 'the form has fields that the protocol version of the client cannot express'
    : { method: request.method, params: { ...params, requestedSchema: schema } };
}

/** The first revision with forms knew only `enum` with `enumNames`, defaults only on booleans, and no lists of choices. */
function toOldFormSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const properties: Record<string, Json> = {};
  for (const [name, field] of Object.entries(schema['properties'])) {
    if (!isObject(field) || field['type'] === 'array') return undefined;
    properties[name] = toOldField(field);
  }
  return { ...schema, properties };
}

function toOldField(field: JsonObject): JsonObject {
  const { default: initial, oneOf, ...rest } = field;
  const kept = field['type'] === 'boolean' && initial !== undefined ? { ...rest, default: initial } : rest;
  if (!Array.isArray(oneOf)) return kept;
  const choices = oneOf.filter(isObject);
  return {
    ...kept,
    enum: choices.map((choice) => choice['const'] ?? null),
    enumNames: choices.map((choice) => choice['title'] ?? choice['const'] ?? null),
  };
}

/** Why a client with these capabilities may not be asked this; undefined if it may. */
export function missingForInput(request: InputRequest, capabilities: ClientCapabilities): ClientCapabilities | undefined {
  switch (request.method) {
    case 'roots/list':
      return capabilities.roots === undefined ? { roots: {} } : undefined;
    case 'sampling/createMessage': {
      if (capabilities.sampling === undefined) return { sampling: {} };
      const usesTools = request.params?.['tools'] !== undefined || request.params?.['toolChoice'] !== undefined;
      return usesTools && capabilities.sampling.tools === undefined ? { sampling: { tools: {} } } : undefined;
    }
    case 'elicitation/create': {
      const mode = request.params?.['mode'] === 'url' ? 'url' : 'form';
      return supportsElicitation(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
  }
}
