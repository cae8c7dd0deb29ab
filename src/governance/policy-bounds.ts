const LIMITS = {
  depth: 32,
  levels: 80,
  statements: 1_000,
  operators: 250,
  choices: 50,
  members: 2_000,
} as const;

const TEXT_OR_COMMENT = /"(?:[^"\\]|\\[^])*"?|\/\/[^\n]*/g;
const TOKEN = /[([{]|[)\]}]|[;,]|\b(?:if|when|unless)\b|&&|\|\||[-+*.]/g;

/**
 * Why a text is not given to the policy library; undefined if it may be. The library follows what is nested by calling
 * itself. Where the stack ends, its memory is not to be used any more, and with it no policy at all until the next start.
 */
export function findEntanglement(text: string): string | undefined {
  const nesting = new Nesting();
  let statements = 0;
  let operators = 0;
  let choices = 0;
  let members = 0;
  for (const [token] of text.replace(TEXT_OR_COMMENT, '""').matchAll(TOKEN)) {
    nesting.add(token);
    if (token === 'if') choices++;
    else if (token === ',') members++;
    else if (token === ';') {
      statements++;
      operators = 0;
      choices = 0;
      members = 0;
    } else if (!')]}({,'.includes(token)) operators++;
    if (nesting.depth > LIMITS.depth) return `nested deeper than ${LIMITS.depth} brackets`;
    if (choices > LIMITS.choices) return `more than ${LIMITS.choices} times "if" in one statement`;
    if (members > LIMITS.members)
      return `more than ${LIMITS.members} members of sets and records in one statement: a tag, a toolset or several statements say the same`;
    if (operators > LIMITS.operators) return `more than ${LIMITS.operators} operators in one statement`;
    if (statements > LIMITS.statements) return `more than ${LIMITS.statements} statements in one document`;
    if (nesting.levels > LIMITS.levels)
      return `more than ${LIMITS.levels} levels of operators and brackets in one condition: several statements, or a set with "in" or "contains", say the same`;
  }
  return undefined;
}

/** The library calls itself more often for a bracket than for an operator. */
const BRACKET_LEVELS = 2;

/** What stands between two brackets, or outside of all. */
interface Group {
  /** Each operator of a chain contains what is before it. */
  chain: number;
  /** `.` and `[]` after one value, and the most of them after any. */
  accesses: number;
  longest: number;
  /** The levels of the deepest group inside. */
  inside: number;
  /** The levels of the deepest of its members before the last comma. */
  before: number;
}

/** Of how many levels the tree of a statement can be. Never too few; exactly as many in chains, which are the deepest. */
class Nesting {
  readonly #outer: Group[] = [];
  #group = emptyGroup();

  get depth(): number {
    return this.#outer.length;
  }

  /** Of the group that was read last, and all inside it. */
  get levels(): number {
    const { chain, longest, inside, before } = this.#group;
    return Math.max(before, chain + longest + inside);
  }

  add(token: string): void {
    if (token === '.' || token === '[') this.#access();
    if ('([{'.includes(token)) {
      this.#outer.push(this.#group);
      this.#group = emptyGroup();
    } else if (')]}'.includes(token)) this.#close();
    else if (token === ';') this.#group = emptyGroup();
    else if (token === ',') this.#group = { ...emptyGroup(), before: this.levels };
    else if (token !== '.') {
      this.#group.chain++;
      this.#group.accesses = 0;
    }
  }

  #access(): void {
    this.#group.longest = Math.max(this.#group.longest, ++this.#group.accesses);
  }

  #close(): void {
    const { levels } = this;
    this.#group = this.#outer.pop() ?? this.#group;
    this.#group.inside = Math.max(this.#group.inside, levels + BRACKET_LEVELS);
  }
}

function emptyGroup(): Group {
  return { chain: 0, accesses: 0, longest: 0, inside: 0, before: 0 };
}
