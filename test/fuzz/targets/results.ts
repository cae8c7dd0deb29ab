import {
  isObject,
  JsonError,
  parseJson,
  stringifyJson,
  type Json,
  type JsonObject,
} from '../../../src/mcp/jsonrpc/index.js';
import {
  judgeProbe,
  LEGACY_REVISIONS,
  missingForInput,
  readModernResult,
  toLegacyInput,
  toLegacyResult,
  writeModernResult,
} from '../../../src/mcp/wire/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

const METHODS = ['tools/list', 'tools/call', 'prompts/get', 'resources/read', 'server/discover'];
const INFO = { name: 'fuzz', version: '1' };

/** What servers answer: read, and turned into what clients of each revision understand. Nothing here may throw. */
export const RESULTS: FuzzTarget = {
  name: 'results',
  dictionary: [
    '"resultType":"complete"',
    '"resultType":"input_required"',
    '"inputRequests":{',
    '"requestState":"s"',
    '"tools":[',
    '"name":"t"',
    '"inputSchema":{',
    '"outputSchema":{',
    '"type":"array"',
    '"type":"object"',
    '"$ref":"#/$defs/a"',
    '"$defs":{',
    '"$id":"x"',
    '"content":[',
    '"structuredContent":',
    '"type":"text"',
    '"type":"audio"',
    '"type":"resource_link"',
    '"messages":[',
    '"supportedVersions":["2026-07-28"]',
    '"_meta":{',
    '"io.modelcontextprotocol/serverInfo":{}',
    '"method":"elicitation/create"',
    '"method":"sampling/createMessage"',
    '"params":{',
    '"mode":"url"',
    '"requestedSchema":{',
    '"properties":{',
    '"oneOf":[',
    '"const":"a"',
    '"default":1',
    '"__proto__":',
    '1e400',
    'null',
    '{',
    '}',
    '[',
    ']',
    ',',
  ],
  run(input) {
    const value = parse(textOf(input));
    if (!isObject(value)) return 'no object';
    const words = METHODS.map((method) => readAndWrite(method, value));
    return `${words.join(' ')} ${judgeProbe({ kind: 'result', result: value }).era}`;
  },
};

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function readAndWrite(method: string, value: JsonObject): string {
  for (const revision of LEGACY_REVISIONS) {
    const legacy = toLegacyResult(method, value, revision);
    promise(legacy['resultType'] === undefined && legacy['ttlMs'] === undefined, 'modern members are gone');
    const again = stringifyJson(
      toLegacyResult(method, parseJson(stringifyJson(legacy)) as JsonObject, revision),
    );
    promise(again === stringifyJson(legacy), 'a legacy result is one already');
  }
  const { resultType: _, ...plain } = value;
  const text = writeModernResult(method, plain, INFO, { ttlMs: 0, cacheScope: 'private' });
  promise(
    readModernResult(method, parseJson(text), false).type === 'complete',
    'a result that is written can be read',
  );
  const read = readModernResult(method, value, true);
  if (read.type !== 'input_required') return read.type;
  for (const request of Object.values(read.requests)) {
    missingForInput(request, isObject(value['capabilities']) ? value['capabilities'] : {});
    for (const revision of LEGACY_REVISIONS) stringifyJson(toLegacyInput(request, revision, () => 'id'));
  }
  return read.type;
}
