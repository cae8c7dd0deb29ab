import type { Writable } from 'node:stream';
import type { LogFields, Logger } from '../kernel/index.js';
import { LinePace } from './line-pace.js';
import { createLogSink } from './log-sink.js';

export interface LoggerOptions {
  /** Lines of a lower one are left out. */
  readonly level: string;
  readonly format: 'pretty' | 'json';
  /** Standard error unless told otherwise. */
  readonly stream?: Writable;
  /** In place of a stream. */
  readonly write?: (text: string) => void;
}

type Level = 'debug' | 'info' | 'warn' | 'error';
type Line = (level: Level, fields: LogFields, message: string) => string;

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
const nothing = (): void => {};

/**
 * Diagnostic lines go to stderr, one JSON document each; stdout belongs to what commands print. A package for this would
 * bring threads and files to write to, which a hub keeps in memory for as long as it runs.
 */
export function createLogger({ level, format, stream = process.stderr, ...given }: LoggerOptions): Logger {
  const lowest = LEVELS.findIndex((name) => name === level);
  const toStream = () =>
    createLogSink({
      stream,
      onRoom: (leftOut) =>
        logger.warn({ lines: leftOut }, 'log lines were left out, because nobody read the ones before'),
    });
  const toLine = format === 'json' ? toJsonLine : toPlainLine;
  const write = given.write ?? toStream();
  const pace = new LinePace<'warn' | 'error'>((of, fields) =>
    write(toLine(of, fields, 'lines like others were left out')),
  );
  const logger = loggerOf({ toLine, write, pace, shown: lowest === -1 ? [] : LEVELS.slice(lowest) }, {});
  return logger;
}

interface Output {
  readonly toLine: Line;
  readonly write: (text: string) => void;
  readonly pace: LinePace<'warn' | 'error'>;
  readonly shown: readonly Level[];
}

function loggerOf(output: Output, bindings: LogFields): Logger {
  const { toLine, write, pace, shown } = output;
  const at = (level: Level): Logger['info'] =>
    shown.includes(level)
      ? (fields, message) => write(toLine(level, { ...bindings, ...fields }, message))
      : nothing;
  const paced = (level: 'warn' | 'error'): Logger['info'] => {
    const tell = at(level);
    if (tell === nothing) return nothing;
    return (fields, message) => {
      if (pace.admits(level, { ...bindings, ...fields }, message)) tell(fields, message);
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: paced('warn'),
    error: paced('error'),
    child: (more) => loggerOf(output, { ...bindings, ...more }),
  };
}

function toJsonLine(level: Level, fields: LogFields, message: string): string {
  const time = new Date().toISOString();
  const text =
    toText({ level, time, ...fields, msg: message }) ?? toText({ level, time, msg: message }) ?? '';
  return `${text.replaceAll(ESCAPED, toEscape)}\n`;
}

/** What a terminal would act on, or would take for another line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const ESCAPED = new RegExp(UNPRINTABLE, 'gu');

/** For people at a terminal: time, level, message, then what else there is. */
function toPlainLine(level: Level, fields: LogFields, message: string): string {
  const rest = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === 'string' && !UNPRINTABLE.test(value) ? value : toText(value);
    return text === undefined ? '' : ` ${name}=${text.replaceAll(ESCAPED, toEscape)}`;
  });
  return `${new Date().toISOString().slice(11, 19)} ${level.padEnd(5)} ${message}${rest.join('')}\n`;
}

/** Those beyond the ones that JSON itself escapes, as JSON would: one escape for each half of a pair. */
function toEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => String.raw`\u` + unit.toString(16).padStart(4, '0')).join('');
}

/** Undefined for what cannot be written, such as circles: a line may be lost, whoever writes it must not fail. */
function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
