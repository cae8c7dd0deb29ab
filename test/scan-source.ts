/**
 * Reads a TypeScript file just far enough to know what it imports. TypeScript 7 offers no parser to programs, so this
 * is a small lexer: it tells code from comments, strings, templates and regular expressions, and patterns are then
 * looked for in the code alone.
 */
export interface ScannedSource {
  /** The text with comments and the insides of literals blanked; every offset is that of the original. */
  readonly code: string;
  readonly imports: readonly Import[];
  /** The contents of string literals and of templates without substitutions. */
  readonly strings: readonly string[];
}

export interface Import {
  /** Undefined when it is computed, so that nobody can know it. */
  readonly specifier: string | undefined;
  /** `import type` and `export type`: gone at run time. */
  readonly typeOnly: boolean;
}

const STATIC =
  /(?<![.\w$#])(?:import|export)\b(?!\s*[.(])(\s*type\b(?!\s*(?:,|from\s*["']))|)[^;=()`]*?\bfrom\s*(?=["'])/g;
const SIDE_EFFECT = /(?<![.\w$#])import\s*(?=["'])/g;
const CALL = /(?<![.\w$#])(import|require)\s*\(\s*/g;

export function scanSource(text: string): ScannedSource {
  const { code, literals } = blankLiterals(text);
  const imports: Import[] = [];
  for (const match of code.matchAll(STATIC)) {
    const specifier = literals.get(match.index + match[0].length);
    imports.push({ specifier, typeOnly: match[1] !== '' });
  }
  for (const match of code.matchAll(SIDE_EFFECT)) {
    imports.push({ specifier: literals.get(match.index + match[0].length), typeOnly: false });
  }
  for (const match of code.matchAll(CALL)) {
    const specifier = literals.get(match.index + match[0].length);
    // `require` is also a good name for a method of ours; `import` can be nothing else.
    if (match[1] === 'import' || specifier !== undefined) imports.push({ specifier, typeOnly: false });
  }
  return { code, imports, strings: [...literals.values()] };
}

interface Blanked {
  readonly code: string;
  /** By the offset of the opening quote. */
  readonly literals: ReadonlyMap<number, string>;
}

function blankLiterals(text: string): Blanked {
  const literals = new Map<number, string>();
  let code = '';
  /** Depth of braces at which each open `${` ends. */
  const substitutions: number[] = [];
  let depth = 0;
  let at = 0;

  const keepQuotes = (end: number): void => {
    const inside = text.slice(at + 1, end - 1);
    code += text[at] + blank(inside) + (end > at + 1 ? text[end - 1] : '');
    at = end;
  };

  while (at < text.length) {
    const c = text.charAt(at);
    const two = text.slice(at, at + 2);
    if (two === '//' || two === '/*') {
      const end = endOfComment(text, at);
      code += blank(text.slice(at, end));
      at = end;
    } else if (c === '"' || c === "'") {
      const end = endOfQuoted(text, at, c);
      literals.set(at, text.slice(at + 1, end - 1));
      keepQuotes(end);
    } else if (c === '`' || (c === '}' && substitutions.at(-1) === depth)) {
      if (c === '}') substitutions.pop();
      const { end, opens } = endOfTemplatePart(text, at);
      if (c === '`' && !opens) literals.set(at, text.slice(at + 1, end - 1));
      if (opens) substitutions.push(depth);
      keepQuotes(end);
    } else if (c === '/' && startsRegularExpression(code)) {
      keepQuotes(endOfRegularExpression(text, at));
    } else {
      if (c === '{') depth++;
      if (c === '}') depth--;
      code += c;
      at++;
    }
  }
  return { code, literals };
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

function endOfComment(text: string, start: number): number {
  const line = text.charAt(start + 1) === '/';
  const end = text.indexOf(line ? '\n' : '*/', start + 2);
  if (end === -1) return text.length;
  return line ? end : end + 2;
}

function endOfQuoted(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== quote && text.charAt(at) !== '\n') {
    at += text.charAt(at) === '\\' ? 2 : 1;
  }
  return Math.min(at + 1, text.length);
}

/** From a backquote, or from the brace that closes a substitution, to the next of either kind. */
function endOfTemplatePart(text: string, start: number): { readonly end: number; readonly opens: boolean } {
  let at = start + 1;
  while (at < text.length) {
    if (text.charAt(at) === '`') return { end: at + 1, opens: false };
    if (text.startsWith('${', at)) return { end: at + 2, opens: true };
    at += text.charAt(at) === '\\' ? 2 : 1;
  }
  return { end: text.length, opens: false };
}

function endOfRegularExpression(text: string, start: number): number {
  let at = start + 1;
  let inClass = false;
  while (at < text.length && text.charAt(at) !== '\n') {
    const c = text.charAt(at);
    if (c === '/' && !inClass) return at + 1;
    if (c === '[') inClass = true;
    if (c === ']') inClass = false;
    at += c === '\\' ? 2 : 1;
  }
  return at;
}

const BEFORE_OPERAND = /(?:^|[([{},;:=!&|?+\-*%~^<>])$/;
const KEYWORD_BEFORE_OPERAND =
  /(?<![.\w$#])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield|instanceof|extends)$/;

/** A slash begins a regular expression where an operand is due, and divides after one. */
function startsRegularExpression(codeBefore: string): boolean {
  const before = codeBefore.slice(-400).trimEnd();
  if (before.endsWith('++') || before.endsWith('--')) return false;
  return BEFORE_OPERAND.test(before) || KEYWORD_BEFORE_OPERAND.test(before);
}
