import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { HubError } from '../kernel/index.js';
import { CliError, usageError } from './cli-error.js';
import type { Cli } from './cli.js';
import { addServeCommand } from './commands/serve.js';
import { EXIT_CONFIGURATION, EXIT_DONE, EXIT_FAILED, EXIT_USAGE, isUsage } from './exit-codes.js';
import { escapeText } from './terminal/escape-text.js';

const USAGE_HINT = 'Run it with --help to see how it is used.';

/** Carries out one command line. Failures are told on stderr and become the exit code. */
export async function runCli(given: Cli, args: readonly string[]): Promise<void> {
  const json = isJson(args);
  const cli = json ? withoutLines(given) : given;
  try {
    const asked = toHelpOption(args);
    const program = asked[0] === 'serve' ? createServeProgram(cli, json) : await createProgram(cli, json);
    await program.parseAsync(asked, { from: 'user' });
  } catch (error) {
    cli.setExitCode(tell(cli, error, json));
  }
}

/** `help connector add` is `connector add --help`; Commander would show the help of `connector`. */
function toHelpOption(args: readonly string[]): readonly string[] {
  return args[0] === 'help' ? [...args.slice(1), '--help'] : args;
}

/** A program that reads a failure from stderr as JSON is to find nothing before it. */
function withoutLines(cli: Cli): Cli {
  const { terminal } = cli;
  return terminal.progress === 'lines' ? { ...cli, terminal: { ...terminal, progress: 'none' } } : cli;
}

/** A hub needs nothing of what the other commands load, for as long as it runs. */
function createServeProgram(cli: Cli, json: boolean): Command {
  const program = createBareProgram(cli, json);
  addServeCommand(program, cli);
  return program;
}

export async function createProgram(cli: Cli, json = false): Promise<Command> {
  const { addAllCommands } = await import('./commands/all-commands.js');
  const program = createBareProgram(cli, json);
  addAllCommands(program, cli);
  return program;
}

function createBareProgram(cli: Cli, json: boolean): Command {
  return new Command('crosspoint')
    .description('An MCP connector hub: every upstream, both protocol eras, one governed endpoint.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError(USAGE_HINT)
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text.trimEnd()),
      // What Commander finds wrong it tells in words for people.
      writeErr: json ? () => {} : (text) => cli.terminal.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'crosspoint: ')),
    })
    .addHelpText(
      'after',
      '\nStart here:\n  crosspoint serve                              run the hub in this folder\n  crosspoint call sample__echo text=hello       make a first call, in another terminal\n  crosspoint import --from claude-code          take over the servers you have',
    );
}

/** Not from `app`: loading the hub to print a number would take longer than most commands. */
function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function isJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

function tell({ terminal }: Cli, error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_DONE;
    // Commander has told people already.
    if (!json) return EXIT_USAGE;
  }
  const { code, message, hint, details, exitCode } = toCliError(error);
  if (json) {
    terminal.note(
      JSON.stringify({
        error: {
          code,
          message,
          ...(hint !== undefined && { hint }),
          ...(details !== undefined && { details }),
        },
      }),
    );
    return exitCode;
  }
  terminal.note(`${terminal.noteColors.red('crosspoint:')} ${escapeText(message)}`);
  if (hint !== undefined) terminal.note(escapeText(hint));
  return exitCode;
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) {
    // Where only a part of a command was given, Commander shows its help instead of a reason.
    const message = error.code === 'commander.help' ? 'the command is not complete' : error.message;
    return usageError(message.replace(/^error: /, ''), USAGE_HINT);
  }
  if (error instanceof HubError) {
    return new CliError(error.message, { code: error.code, exitCode: exitCodeOf(error), cause: error });
  }
  return new CliError(`unexpected failure: ${error instanceof Error ? error.message : String(error)}`, {
    code: 'internal',
    cause: error,
  });
}

function exitCodeOf({ code, details }: HubError): number {
  if (code === 'config_invalid') return EXIT_CONFIGURATION;
  return isUsage(code, details) ? EXIT_USAGE : EXIT_FAILED;
}
