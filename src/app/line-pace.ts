import type { LogFields } from '../kernel/index.js';

/** So many lines that say the same are written in a while. */
const MOST_ALIKE = 10;
const WHILE_MS = 60_000;
/** Lines with the same message say the same if these are the same too; others, such as ids, differ each time. */
const TELLING = ['connector', 'code', 'event'] as const;
/** Errors may have words of others in them: of more kinds than this, they are not told apart any more. */
const MOST_KINDS = 200;

interface Alike {
  lines: number;
  readonly facts: LogFields;
}

/** Keeps one fault that comes again and again from filling the log, and from hiding another one in it. */
export class LinePace<Level extends string> {
  readonly #alike = new Map<string, Alike>();
  readonly #onLeftOut: (level: Level, fields: LogFields) => void;

  /** `onLeftOut` is told how many lines were left out, and what they said. */
  constructor(onLeftOut: (level: Level, fields: LogFields) => void) {
    this.#onLeftOut = onLeftOut;
  }

  admits(level: Level, fields: LogFields, message: string): boolean {
    const kind = [level, message, ...TELLING.map((name) => fields[name])].join('\n');
    const exact = `${kind}\n${String(fields['error']).replaceAll(/\d+/g, '0')}`;
    const known = this.#alike.get(exact) ?? this.#first(kind, exact, level, fields, message);
    known.lines++;
    return known.lines <= MOST_ALIKE;
  }

  #first(kind: string, exact: string, level: Level, fields: LogFields, message: string): Alike {
    const facts = { ...factsOf(fields), of: message };
    if (this.#alike.size < MOST_KINDS)
      return this.#begin(exact, level, {
        ...facts,
        ...(fields['error'] !== undefined && { error: fields['error'] }),
      });
    return this.#alike.get(kind) ?? this.#begin(kind, level, facts);
  }

  #begin(key: string, level: Level, facts: LogFields): Alike {
    const alike = { lines: 0, facts };
    this.#alike.set(key, alike);
    const end = (): void => {
      this.#alike.delete(key);
      if (alike.lines > MOST_ALIKE) this.#onLeftOut(level, { ...facts, lines: alike.lines - MOST_ALIKE });
    };
    setTimeout(end, WHILE_MS).unref();
    return alike;
  }
}

function factsOf(fields: LogFields): LogFields {
  return Object.fromEntries(
    TELLING.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}
