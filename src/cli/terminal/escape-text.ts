/** Control and format characters: what moves a cursor, changes a terminal or reorders what is read. */
const UNSAFE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
/** Joiners are part of ordinary text in several scripts. */
const JOINERS = new Set(['\u200c', '\u200d']);
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line of somebody else's text: whatever could act on a terminal is shown instead of done. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, (character) => (JOINERS.has(character) ? character : show(character)));
}

/** The same for text that may have several lines; line ends and tabs stay. */
export function escapeText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(UNSAFE, (character) =>
      character === '\n' || character === '\t' || JOINERS.has(character) ? character : show(character),
    );
}

/** JSON on one line means the same with its unsafe characters written as escapes. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, index) => `\\u${hex(character.charCodeAt(index), 4)}`).join(
      '',
    ),
  );
}

function show(character: string): string {
  return NAMED[character] ?? `\\u{${hex(character.codePointAt(0) ?? 0, 2)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
