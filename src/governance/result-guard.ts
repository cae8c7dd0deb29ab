import { cutText } from '../kernel/index.js';
import { stringifyAndKeep, stringifyJson } from '../mcp/jsonrpc/index.js';
import type { CallResult, ContentBlock } from '../mcp/model/index.js';
import { withoutUnfit } from './unfit-content.js';

export interface GuardedResult {
  readonly result: CallResult;
  readonly bytes: number;
  /** What was cut or left out, in words; empty when nothing was. */
  readonly warnings: readonly string[];
  /** Set when the result cannot be made to fit without breaking its meaning. */
  readonly tooLarge: boolean;
}

/**
 * Keeps a result within a size, and what cannot be shown out of it. Text may be cut with a mark and binary content replaced by a description; structured
 * content is never cut, because half of it would be something else.
 */
export function guardResult(answer: CallResult, maxBytes: number): GuardedResult {
  const { result, warnings } = withoutUnfit(answer);
  const bytes = Buffer.byteLength(stringifyAndKeep(result));
  if (bytes <= maxBytes) return { result, bytes, warnings, tooLarge: false };
  const fitted = fit(result, bytes, maxBytes);
  return { ...fitted, warnings: [...warnings, ...fitted.warnings] };
}

function fit(result: CallResult, bytes: number, maxBytes: number): GuardedResult {
  if (result.structuredContent !== undefined) return { result, bytes, warnings: [], tooLarge: true };
  const fixed = Buffer.byteLength(stringifyJson({ ...result, content: [] }));
  if (fixed >= maxBytes) return guardBare(result, bytes, maxBytes, fixed);
  const fitted = fitBlocks(result.content, maxBytes - fixed);
  return {
    result: { ...result, content: fitted.content },
    bytes,
    warnings: fitted.warnings,
    tooLarge: false,
  };
}

/** What stands beside the content takes all the room: it goes, because nothing of it can be cut. */
function guardBare(
  { content, isError }: CallResult,
  bytes: number,
  maxBytes: number,
  beside: number,
): GuardedResult {
  const bare = { ...(isError !== undefined && { isError }) };
  const fitted = fitBlocks(content, maxBytes - Buffer.byteLength(stringifyJson({ ...bare, content: [] })));
  return {
    result: { ...bare, content: fitted.content },
    bytes,
    warnings: [`${beside} bytes beside the content left out`, ...fitted.warnings],
    tooLarge: false,
  };
}

/** Of a text block with nothing but the mark in it. */
const MIN_OVERHEAD = 80;
const MARK = (left: number): string => `\n[truncated: ${left} bytes left out]`;

/** Fills the room block by block. */
export function fitBlocks(
  blocks: readonly ContentBlock[],
  room: number,
): { content: ContentBlock[]; warnings: string[] } {
  const content: ContentBlock[] = [];
  const warnings: string[] = [];
  let left = room;
  for (const block of blocks) {
    const size = Buffer.byteLength(stringifyJson(block)) + 1;
    if (size <= left) {
      content.push(block);
      left -= size;
      continue;
    }
    const shortened = shorten(block, left);
    const shortSize = Buffer.byteLength(stringifyJson(shortened.block)) + 1;
    // Even the mark needs room; only where nothing else would be left it is worth more than the limit.
    if (shortSize > left && content.length > 0) break;
    warnings.push(shortened.warning);
    content.push(shortened.block);
    left -= shortSize;
    if (left <= 0) break;
  }
  const dropped = blocks.length - content.length;
  if (dropped > 0) warnings.push(`${dropped} content blocks left out`);
  return { content, warnings };
}

function shorten(block: ContentBlock, room: number): { block: ContentBlock; warning: string } {
  const { text, data, mimeType } = block;
  if (block.type === 'text' && typeof text === 'string') {
    const total = Buffer.byteLength(text);
    const overhead = Buffer.byteLength(stringifyJson({ ...block, text: MARK(total) })) + 1;
    // What else stands in a block stays with it, unless it is what takes the room.
    const rest = overhead > room / 2 ? { type: 'text' } : block;
    const head = cutToBytes(text, Math.max(0, room - (rest === block ? overhead : MIN_OVERHEAD)));
    const left = total - Buffer.byteLength(head);
    return { block: { ...rest, text: head + MARK(left) }, warning: `text truncated, ${left} bytes left out` };
  }
  const size =
    typeof data === 'string' ? Math.floor((data.length * 3) / 4) : Buffer.byteLength(stringifyJson(block));
  const kind = cutText(typeof mimeType === 'string' ? `${block.type}, ${mimeType}` : block.type, 100);
  return {
    block: { type: 'text', text: `[${kind}, ${size} bytes: left out]` },
    warning: `${kind} of ${size} bytes left out`,
  };
}

/** At most `bytes` of JSON text, never half a character. */
function cutToBytes(text: string, bytes: number): string {
  let low = 0;
  let high = Math.min(text.length, bytes);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) <= bytes) low = middle;
    else high = middle - 1;
  }
  return cutText(text, low);
}
