import { CliError, usageError } from './cli-error.js';
import type { Cli } from './cli.js';
import { readStdin } from './read-stdin.js';

const MAX_BYTES = 64 * 1024;

/** A value that must not appear on screen: typed by a person, or piped in; `otherwise` names a third way where there is one. */
export async function readSecret(cli: Cli, question: string, otherwise = ''): Promise<string> {
  if (cli.terminal.interactive) {
    const { password } = await import('@clack/prompts');
    return answerOf(await password({ message: question, output: process.stderr, validate: requireText }));
  }
  const value = (await readStdin(cli.stdin, MAX_BYTES, 'a secret')).replace(/\r?\n$/, '');
  if (value === '')
    throw usageError('no value was given', `Type it at a terminal or pipe it in${otherwise}.`);
  return value;
}

/** A value that may be seen. */
export async function readAnswer(question: string, fallback: string | undefined): Promise<string> {
  const { text } = await import('@clack/prompts');
  const known = fallback === undefined ? {} : { defaultValue: fallback, placeholder: fallback };
  return answerOf(await text({ message: question, output: process.stderr, ...known }));
}

function answerOf(answer: string | symbol): string {
  if (typeof answer === 'symbol') throw new CliError('cancelled', { code: 'cancelled' });
  return answer;
}

function requireText(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? 'A value is needed.' : undefined;
}
