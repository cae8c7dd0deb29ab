/** The call that everybody makes and answers in the bench. */

export type Era = 'legacy' | 'modern';

export const TOOL = 'echo';
export const TEXT = 'the same short text every time';

export const LEGACY_REVISION = '2025-11-25';
export const MODERN_REVISION = '2026-07-28';

export const ECHO_TOOL = {
  name: TOOL,
  description: 'Answers with the text it was given',
  inputSchema: { type: 'object' as const, properties: { text: { type: 'string' } }, required: ['text'] },
};

export function echo(text: unknown): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text: String(text) }] };
}
