import { CliError, usageError } from './cli-error.js';
import type { Cli } from './cli.js';

const MAX_BYTES = 64 * 1024;

/** A value that must not appear on screen: typed by a person, or piped in; `otherwise` names a third way where there is one. */
export async function readSecret(cli: Cli, question: string, otherwise = ''): Promise<string> {
  if (cli.terminal.interactive) {
    const { password } = await import('@clack/prompts');
    return answerOf(await password({ message: question, output: process.stderr, validate: requireText }));
  }
  const value = (await readAll(cli.stdin)).replace(/\r?\n$/, '');
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

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BYTES) throw usageError('what was piped in is too long for a secret');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
