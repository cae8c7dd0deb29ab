import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { invalidField } from '../kernel/index.js';
import { digestOf } from '../mcp/transports/index.js';

/** Arguments that are programs themselves. What else a program is given may change. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|php|lua|sh|jar|wasm|dll|exe)$/i;

/** What the program of a command and the scripts that it names are now, by how a connector names them. */
export async function pinCommand(
  [program = '', ...args]: readonly string[],
  cwd: string,
): Promise<Record<string, string>> {
  const scripts = args.filter((arg) => SCRIPT.test(arg) && existsSync(resolve(cwd, arg))).map(asPath);
  const pins: Record<string, string> = {};
  for (const file of new Set([program, ...scripts])) {
    const { found, problem } = await digestOf(file, { cwd });
    if (found === undefined) throw invalidField('pin', `${file} ${problem}`);
    pins[file] = found;
  }
  return pins;
}

/** A name alone would be looked for in PATH. */
function asPath(file: string): string {
  return isAbsolute(file) || /[/\\]/.test(file) ? file : `./${file}`;
}
