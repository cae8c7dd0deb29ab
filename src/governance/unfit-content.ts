import { cutText } from '../kernel/index.js';
import { isObject } from '../mcp/jsonrpc/index.js';
import type { CallResult, ContentBlock } from '../mcp/model/index.js';

/** Clients refuse a whole result for one image that is something else, such as the address of its data. */
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}$/;
const SCRIPT = /^(?:javascript|vbscript):/i;
/** Browsers read addresses as if these were not there. */
const UNREAD = /[\s\p{Cc}]/gu;
const LONGEST_SCHEME = 64;

/** Puts words in the place of blocks that no client can show, or that do harm where one does. */
export function withoutUnfit(result: CallResult): { result: CallResult; warnings: readonly string[] } {
  // Nearly all results are text alone.
  if (result.content.every(({ type }) => type === 'text')) return { result, warnings: [] };
  const warnings: string[] = [];
  const content = result.content.map((block): ContentBlock => {
    const reason = whyUnfit(block);
    if (reason === undefined) return block;
    const warning = `${cutText(block.type, 100)} left out: ${reason}`;
    warnings.push(warning);
    return { type: 'text', text: `[${warning}]` };
  });
  return warnings.length === 0 ? { result, warnings } : { result: { ...result, content }, warnings };
}

function whyUnfit(block: ContentBlock): string | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      if (typeof block.mimeType !== 'string') return 'it does not say what kind of data it is';
      return isBase64(block.data) ? undefined : 'its data is no base64';
    case 'resource_link':
      return isScript(block['uri']) ? 'its address is a script' : undefined;
    case 'resource': {
      const resource = isObject(block['resource']) ? block['resource'] : {};
      if (isScript(resource['uri'])) return 'its address is a script';
      return resource['blob'] === undefined || isBase64(resource['blob'])
        ? undefined
        : 'its data is no base64';
    }
    default:
      return undefined;
  }
}

function isBase64(data: unknown): boolean {
  return typeof data === 'string' && BASE64.test(data);
}

function isScript(uri: unknown): boolean {
  return typeof uri === 'string' && SCRIPT.test(uri.slice(0, LONGEST_SCHEME).replace(UNREAD, ''));
}
