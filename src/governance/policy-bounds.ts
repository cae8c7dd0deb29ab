const LIMITS = { depth: 32, statements: 1_000, operators: 250, choices: 50 } as const;

const TEXT_OR_COMMENT = /"(?:[^"\\]|\\[^])*"?|\/\/[^\n]*/g;
const TOKEN = /[([{]|[)\]}]|;|\bif\b|&&|\|\||[-+*.]/g;

/**
 * Why a text is not given to the policy library; undefined if it may be. The library follows what is nested by calling
 * itself. Where the stack ends, its memory is not to be used any more, and with it no policy at all until the next start.
 */
export function findEntanglement(text: string): string | undefined {
  let depth = 0;
  let statements = 0;
  let operators = 0;
  let choices = 0;
  for (const [token] of text.replace(TEXT_OR_COMMENT, '""').matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
    else if (token === 'if') choices++;
    else if (token !== ';') operators++;
    else {
      statements++;
      operators = 0;
      choices = 0;
    }
    // What is indexed, `a["b"]["c"]`, is a chain as well.
    if (token === '[') operators++;
    if (depth > LIMITS.depth) return `nested deeper than ${LIMITS.depth} brackets`;
    if (choices > LIMITS.choices) return `more than ${LIMITS.choices} times "if" in one statement`;
    if (operators > LIMITS.operators) return `more than ${LIMITS.operators} operators in one statement`;
    if (statements > LIMITS.statements) return `more than ${LIMITS.statements} statements in one document`;
  }
  return undefined;
}
