/** What a class of Unicode counts as where it is read: it becomes hundreds of ranges. */
const PARTS_OF_CLASS = 100;
const COUNT = /\{(\d{0,9})(?:,(\d{0,9}))?\}/y;
const CLASS_END = /\]/g;

/** How many parts a pattern has when what is counted is written out. Estimated from above, in one pass. */
export function patternSize(pattern: string): number {
  /** What stood before each group that is open. */
  const open: number[] = [];
  let size = 0;
  /** What a count would repeat. */
  let last = 0;
  const add = (parts: number): void => {
    last = parts;
    size += parts;
  };
  for (let at = 0; at < pattern.length; at++) {
    switch (pattern[at]) {
      case '\\':
        at++;
        add(1);
        break;
      case '[': {
        const end = endOf(CLASS_END, pattern, at + 2);
        add(end - at);
        at = end - 1;
        break;
      }
      case '(':
        open.push(size);
        size = 0;
        break;
      case ')': {
        const group = size + 2;
        size = open.pop() ?? 0;
        add(group);
        break;
      }
      case '{': {
        const [text = '', from, to] = match(COUNT, pattern, at);
        const times = Math.max(1, Number(from ?? 1), Number(to ?? 1));
        size += last * (times - 1);
        last *= times;
        at += Math.max(0, text.length - 1);
        break;
      }
      default:
        add(1);
    }
  }
  const classes = pattern.match(/\\p/gi)?.length ?? 0;
  return open.reduce((sum, before) => sum + before, size) + classes * PARTS_OF_CLASS;
}

function match(expression: RegExp, text: string, at: number): readonly (string | undefined)[] {
  expression.lastIndex = at;
  return expression.exec(text) ?? [];
}

/** Behind the next match; the end of the text where there is none. */
function endOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : text.length;
}
