import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { HubError } from '../kernel/index.js';
import { CliError } from './cli-error.js';
import type { Cli } from './cli.js';
import { addServeCommand } from './commands/serve.js';
import { EXIT_CONFIGURATION, EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from './exit-codes.js';
import { escapeText } from './terminal/escape-text.js';

/** Carries out one command line. Failures are told on stderr and become the exit code. */
export async function runCli(cli: Cli, args: readonly string[]): Promise<void> {
  try {
    const program = args[0] === 'serve' ? createServeProgram(cli) : await createProgram(cli);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    cli.setExitCode(tell(cli, error, isJson(args)));
  }
}

/** A hub needs nothing of what the other commands load, for as long as it runs. */
function createServeProgram(cli: Cli): Command {
  const program = createBareProgram(cli);
  addServeCommand(program, cli);
  return program;
}

export async function createProgram(cli: Cli): Promise<Command> {
  const { addAllCommands } = await import('./commands/all-commands.js');
  const program = createBareProgram(cli);
  addAllCommands(program, cli);
  return program;
}

function createBareProgram(cli: Cli): Command {
  return new Command('crosspoint')
    .description('An MCP connector hub: every upstream, both protocol eras, one governed endpoint.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError('Run it with --help to see how it is used.')
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text.trimEnd()),
      writeErr: (text) => cli.terminal.note(text.trimEnd()),
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
  // Commander has told its own already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_DONE : EXIT_USAGE;
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
  if (error instanceof HubError) {
    const exitCode = error.code === 'config_invalid' ? EXIT_CONFIGURATION : EXIT_FAILED;
    return new CliError(error.message, { code: error.code, exitCode, cause: error });
  }
  return new CliError(`unexpected failure: ${error instanceof Error ? error.message : String(error)}`, {
    code: 'internal',
    cause: error,
  });
}
