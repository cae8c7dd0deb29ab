import {
  INVALID_PARAMS,
  isObject,
  ProtocolError,
  stringifyJson,
  withoutNullMembers,
  type JsonObject,
} from '../../jsonrpc/index.js';
import type { ClientDescription } from '../../model/index.js';
import {
  areCapabilities,
  isAtLeast,
  isImplementation,
  negotiateLegacy,
  NEWEST_LEGACY,
  type LegacyRevision,
} from '../../wire/index.js';

/** A session keeps this for as long as it lives. */
const MAX_DESCRIPTION_LENGTH = 16 * 1024;

export interface Initialize {
  readonly revision: LegacyRevision;
  readonly client: ClientDescription;
}

/** What a client says in its handshake, and the version it is offered. Throws when it is malformed. */
export function readInitialize(
  params: JsonObject | undefined,
  oldest: LegacyRevision | undefined,
): Initialize {
  const { protocolVersion, capabilities: declared = {}, clientInfo } = params ?? {};
  if (typeof protocolVersion !== 'string') throw invalid('protocolVersion must be a string');
  // Some clients write what they cannot do as null instead of leaving it out.
  const capabilities = isObject(declared) ? withoutNullMembers(declared) : declared;
  if (!areCapabilities(capabilities)) throw invalid('capabilities must be an object of objects');
  if (clientInfo !== undefined && !isImplementation(clientInfo))
    throw invalid('clientInfo must have a name and a version');
  const client: ClientDescription = { info: clientInfo, capabilities };
  if (stringifyJson(client).length > MAX_DESCRIPTION_LENGTH)
    throw invalid('the client says too much of itself');
  const agreed = negotiateLegacy(protocolVersion);
  return { revision: oldest !== undefined && !isAtLeast(agreed, oldest) ? NEWEST_LEGACY : agreed, client };
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message);
}
