/** So many lines are repeated. */
const MOST = 4;
/** Where in the code it happened, brackets around that, and which Node it was: a program's own business. */
const TRACE = [/^\s+at /, /^[\s{}()[\]^~,;]*$/, /^Node\.js v\d/, /^\s+File ".*", line \d+/];

/** Of what a process wrote, the lines that mostly tell why it does not serve. Several attempts end with the same words. */
export function lastWords(lines: readonly string[]): readonly string[] {
  const telling = lines.filter((line) => !TRACE.some((pattern) => pattern.test(line)));
  return [...new Set(telling.map((line) => line.trim()))].slice(-MOST);
}
