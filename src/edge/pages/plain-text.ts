/** Controls, and characters that turn the direction of text around or cannot be seen: each could make a name look like another. */
const UNSEEN =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;
const MAX_LENGTH = 200;

/**
 * Text of others as a page may show it: what is not seen is written out, what is too long is cut. Markup in it is the
 * business of the `html` tag, which escapes every value.
 */
export function plainText(text: string, maxLength = MAX_LENGTH): string {
  // Cut before looking, so that the work is bounded whatever was sent.
  const characters = Array.from(text.slice(0, maxLength * 2));
  const isCut = text.length > maxLength * 2 || characters.length > maxLength;
  const kept = (isCut ? characters.slice(0, maxLength) : characters).join('');
  return kept.replace(UNSEEN, toEscape) + (isCut ? '…' : '');
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
