import type { Writable } from 'node:stream';
import type { LogFields, Logger } from '../kernel/index.js';
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
  const logger = loggerOf(
    {
      toLine: format === 'json' ? toJsonLine : toPlainLine,
      write: given.write ?? toStream(),
      shown: lowest === -1 ? [] : LEVELS.slice(lowest),
    },
    {},
  );
  return logger;
}

interface Output {
  readonly toLine: Line;
  readonly write: (text: string) => void;
  readonly shown: readonly Level[];
}

function loggerOf(output: Output, bindings: LogFields): Logger {
  const { toLine, write, shown } = output;
  const at = (level: Level): Logger['info'] =>
    shown.includes(level)
      ? (fields, message) => write(toLine(level, { ...bindings, ...fields }, message))
      : nothing;
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => loggerOf(output, { ...bindings, ...more }),
  };
}

function toJsonLine(level: Level, fields: LogFields, message: string): string {
  const time = new Date().toISOString();
  return `${toText({ level, time, ...fields, msg: message }) ?? toText({ level, time, msg: message })}\n`;
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

/** Those beyond the ones that JSON itself escapes. */
function toEscape(character: string): string {
  return String.raw`\u` + (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
}

/** Undefined for what cannot be written, such as circles: a line may be lost, whoever writes it must not fail. */
function toText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
