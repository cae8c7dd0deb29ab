import { stringifyJson } from '../mcp/jsonrpc/index.js';
import { escapeJson } from './terminal/escape-text.js';
import type { Terminal } from './terminal/terminal.js';

/** What every command works with. */
export interface Cli {
  readonly terminal: Terminal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working folder. */
  readonly folder: string;
  readonly stdin: NodeJS.ReadStream;
  /** The exit code of a command that did its work and found something wrong. */
  setExitCode(code: number): void;
}

export interface OutputOptions {
  readonly json?: boolean;
}

/** The outcome of a command: as JSON on one line, or as people read it. */
export function show(cli: Cli, options: OutputOptions, data: unknown, forPeople: () => void): void {
  if (options.json === true) printJson(cli, data);
  else forPeople();
}

export function printJson(cli: Cli, data: unknown): void {
  cli.terminal.print(escapeJson(stringifyJson(data)));
}
