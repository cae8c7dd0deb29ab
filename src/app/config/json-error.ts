import type { ParseError } from 'jsonc-parser';
import { jsonc } from './languages.js';

/** What the parser calls it, in words for whoever wrote the file. */
const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word or character that JSON does not know: texts and names stand in double quotes',
  InvalidNumberFormat: 'a number that is none',
  PropertyNameExpected: 'a name in double quotes is expected',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'something follows the end',
  InvalidCommentToken: 'a comment that is none',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a text is not closed: a double quote is missing',
  UnexpectedEndOfNumber: 'a number that is none',
  InvalidUnicode: 'an escape \\u without four digits',
  InvalidEscapeCharacter: 'an escape that JSON does not know: a backslash in a text is written twice',
  InvalidCharacter: 'a control character in a text: write it as an escape, such as \\n',
};

export function explainJsonError(text: string, { error }: Pick<ParseError, 'error'>): string {
  if (text.trim() === '') return 'the file is empty: write {} for no settings';
  const name = jsonc().printParseErrorCode(error);
  return WORDS[name] ?? name;
}
