import { stringifyJson } from '../mcp/jsonrpc/index.js';
import { escapeLine, escapeText } from './terminal/escape-text.js';
import { formatBytes } from './terminal/format.js';

/** What a tool answered, as people read it: text as it is, everything else described. */
export function renderResult(result: Readonly<Record<string, unknown>>): string {
  const blocks: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const texts = blocks.map(renderBlock);
  const structured = result['structuredContent'];
  // Servers that answer with structure repeat it as text for older clients; once is enough.
  if (structured !== undefined && texts.length === 0) texts.push(escapeText(indent(structured)));
  return texts.join('\n');
}

function renderBlock(block: unknown): string {
  if (typeof block !== 'object' || block === null) return '[unknown content]';
  const { type, text, data, mimeType, uri, name, resource } = block as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'text':
      return escapeText(textOf(text));
    case 'image':
    case 'audio':
      return `[${type}${typeof mimeType === 'string' ? ` ${escapeLine(mimeType)}` : ''}, ${formatBytes(sizeOf(data))}]`;
    case 'resource_link':
      return `[link ${escapeLine(textOf(name))}: ${escapeLine(textOf(uri))}]`;
    case 'resource':
      return renderResource(resource);
    default:
      return `[${escapeLine(textOf(type) || 'unknown content')}]`;
  }
}

function renderResource(resource: unknown): string {
  const { uri, text, blob, mimeType } = (resource ?? {}) as Readonly<Record<string, unknown>>;
  const head = `[resource ${escapeLine(textOf(uri))}${typeof mimeType === 'string' ? `, ${escapeLine(mimeType)}` : ''}`;
  return typeof text === 'string'
    ? `${head}]\n${escapeText(text)}`
    : `${head}, ${formatBytes(sizeOf(blob))}]`;
}

function indent(value: unknown): string {
  const exact = stringifyJson(value);
  const plain = JSON.stringify(value, undefined, 2);
  // Indenting would round what a double cannot hold.
  return JSON.stringify(value) === exact ? plain : exact;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sizeOf(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}
