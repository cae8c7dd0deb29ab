import { cutText } from '../kernel/index.js';
import { isObject, stringifyJson } from '../mcp/jsonrpc/index.js';
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
  if (result.content.every(isText)) return { result, warnings: [] };
  const warnings: string[] = [];
  const content = result.content.map((block): ContentBlock => {
    if (isText(block)) return block;
    if (block.type === 'text' && block['text'] !== undefined) {
      warnings.push('a text that is no text was written as JSON');
      return { ...block, text: stringifyJson(block['text']) };
    }
    const reason = whyUnfit(block);
    if (reason === undefined) return block;
    const warning = `${cutText(block.type, 100)} left out: ${reason}`;
    warnings.push(warning);
    return { type: 'text', text: `[${warning}]` };
  });
  return warnings.length === 0 ? { result, warnings } : { result: { ...result, content }, warnings };
}

function isText({ type, text }: ContentBlock): boolean {
  return type === 'text' && typeof text === 'string';
}

function whyUnfit(block: ContentBlock): string | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      if (typeof block.mimeType !== 'string') return 'it does not say what kind of data it is';
      return isBase64(block.data) ? undefined : 'its data is no base64';
    case 'text':
      return 'it has none';
    case 'resource_link':
      if (typeof block['name'] !== 'string') return 'it has no name';
      return whyUnfitAddress(block['uri']);
    case 'resource': {
      const { uri, text, blob } = isObject(block['resource']) ? block['resource'] : {};
      if (blob !== undefined && !isBase64(blob)) return 'its data is no base64';
      if (blob === undefined && typeof text !== 'string') return 'it has neither text nor data';
      return whyUnfitAddress(uri);
    }
    default:
      return undefined;
  }
}

function whyUnfitAddress(uri: unknown): string | undefined {
  if (typeof uri !== 'string') return 'it has no address';
  return SCRIPT.test(uri.slice(0, LONGEST_SCHEME).replace(UNREAD, ''))
    ? 'its address is a script'
    : undefined;
}

function isBase64(data: unknown): boolean {
  return typeof data === 'string' && BASE64.test(data);
}
