import type { JsonObject } from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import { MODERN_REVISIONS, writeModernResult, type CacheHints } from '../../wire/index.js';

export function writeDiscovery(description: ServerDescription, cache: CacheHints): string {
  const { capabilities, instructions, info } = description;
  const result: JsonObject = {
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: capabilities as JsonObject,
    ...(instructions !== undefined && { instructions }),
  };
  return writeModernResult('server/discover', result, info, cache);
}
