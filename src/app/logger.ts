import type { Writable } from 'node:stream';
import { pino, type Logger as PinoLogger } from 'pino';
import type { LogFields, Logger } from '../kernel/index.js';
import { createLogSink } from './log-sink.js';

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
  /** Standard error unless told otherwise. */
  readonly stream?: Writable;
  /** In place of a stream. */
  readonly write?: (text: string) => void;
}

/** Diagnostic lines go to stderr, one JSON document each; stdout belongs to what commands print. */
export function createLogger({ level, format, stream = process.stderr, ...given }: LoggerOptions): Logger {
  const toStream = () =>
    createLogSink({
      stream,
      onRoom: (leftOut) =>
        logger.warn({ lines: leftOut }, 'log lines were left out, because nobody read the ones before'),
    });
  const write = given.write ?? toStream();
  const logger = wrap(
    pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line: string) => write(format === 'json' ? line : toPlain(line)) },
    ),
  );
  return logger;
}

function wrap(pinoLogger: PinoLogger): Logger {
  return {
    debug: (fields, message) => pinoLogger.debug(fields, message),
    info: (fields, message) => pinoLogger.info(fields, message),
    warn: (fields, message) => pinoLogger.warn(fields, message),
    error: (fields, message) => pinoLogger.error(fields, message),
    child: (bindings) => wrap(pinoLogger.child(bindings)),
  };
}

/** For people at a terminal: time, level, message, then what else there is. */
function toPlain(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as LogFields;
  const rest = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${rest.join('')}\n`;
}
