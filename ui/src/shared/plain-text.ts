/**
 * Characters that are not seen but do something: control characters, and those that turn the direction of a text
 * (Unicode Technical Report 36, section 3). They are shown by their number.
 */
const UNSEEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** A text of somebody else's as it can be shown: nothing in it acts, and it is not longer than that. */
export function toPlainText(text: string, most = 4_000): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replaceAll(UNSEEN, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line. */
export function toPlainLine(text: string, most = 200): string {
  return toPlainText(text.replaceAll(/\s+/g, ' ').trim(), most);
}
