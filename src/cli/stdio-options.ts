import { resolve } from 'node:path';
import type { ConnectorInput } from '../contract/index.js';
import type { Secret } from '../kernel/index.js';
import { usageError } from './cli-error.js';
import type { Cli } from './cli.js';
import { dataFolderOf } from './hub-file.js';

/** What `connector add` was given about a command. */
export interface StdioOptions {
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly pin?: boolean;
  readonly name?: string;
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly data?: string;
}

export interface StdioInput {
  /** Without secrets: references stand in their place. */
  readonly connector: ConnectorInput;
  readonly variables: Readonly<Record<string, Secret>>;
}

const HTTP_ONLY = [
  'header',
  'bearerEnv',
  'apiKeyEnv',
  'apiKeyHeader',
  'oauth',
  'credentialMode',
  'transport',
  'agent',
] as const;

/** Secrets in values that were given are put away under a name; `NAME` alone leaves the value to the hub's environment. */
export async function toStdioInput(
  cli: Cli,
  id: string,
  command: readonly string[],
  options: StdioOptions,
): Promise<StdioInput> {
  const foreign = HTTP_ONLY.find(
    (name) => (options as Readonly<Record<string, unknown>>)[name] !== undefined,
  );
  if (foreign !== undefined)
    throw usageError(
      `--${foreign.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} belongs to --url, not to a command`,
    );
  const { hideSecrets, pinCommand, readSealedVariables } = await import('../app/index.js');
  const vault = {
    folder: dataFolderOf(options.data, cli.environment, cli.folder),
    masterKey: cli.environment['CROSSPOINT_MASTER_KEY'],
  };
  const [program = '', ...args] = command;
  const hidden = hideSecrets(id, {
    args,
    env: Object.fromEntries((options.env ?? []).map(splitPair)),
    known: { ...(await readSealedVariables(vault)), ...cli.environment },
  });
  const folder = options.cwd === undefined ? cli.folder : resolve(cli.folder, options.cwd);
  return {
    connector: {
      ...(options.name !== undefined && { name: options.name }),
      command: program,
      ...(args.length > 0 && { args: [...hidden.args] }),
      ...(options.env !== undefined && { env: { ...hidden.env } }),
      ...(options.cwd !== undefined && { cwd: folder }),
      ...(options.pin === true && { pins: await pinCommand(command, folder) }),
      ...(options.era !== undefined && { era: options.era }),
    },
    variables: hidden.variables,
  };
}

function splitPair(pair: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(pair) ?? [];
  if (name === undefined)
    throw usageError(
      `--env "${pair.slice(0, 32)}" is not a variable`,
      'It looks like this: --env ROOT=/srv/files',
    );
  return [name, value ?? `\${env:${name}}`];
}
