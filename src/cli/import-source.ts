import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClientContent, ClientName, ImportedServer } from '../app/index.js';
import { HubError } from '../kernel/index.js';
import { CliError, usageError } from './cli-error.js';
import type { Cli } from './cli.js';
import { readVariable } from './connector-options.js';
import { dataFolderOf } from './hub-file.js';
import { readAnswer, readSecret } from './read-secret.js';

export const CLIENT_NAMES: readonly ClientName[] = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'windsurf',
  'codex',
];

export interface SourceOptions {
  readonly from?: ClientName;
  readonly dryRun?: boolean;
  readonly only?: readonly string[];
  readonly inputEnv?: readonly string[];
  readonly data?: string;
}

/** What would become of the servers of a file or program. Values that are missing are asked for where somebody can answer. */
export async function readPlan(
  cli: Cli,
  file: string | undefined,
  options: SourceOptions,
): Promise<readonly ImportedServer[]> {
  const content = choose(await readContent(cli, file, options.from), options.only);
  return makePlan(cli, content, await answerInputs(cli, content, options), options);
}

async function readContent(
  cli: Cli,
  file: string | undefined,
  from: ClientName | undefined,
): Promise<ClientContent> {
  const { clientFiles, readClientFile, systemPlace } = await import('../app/index.js');
  const place = systemPlace(cli.folder, cli.environment);
  if (file !== undefined && from !== undefined) throw usageError('name either a file or --from, not both');
  if (file !== undefined) return readClientFile(resolve(cli.folder, file), place);
  if (from === undefined)
    throw usageError(
      'nothing to import',
      `Name a file, or a program with --from (${CLIENT_NAMES.join(', ')}).`,
    );
  const candidates = clientFiles(from, place);
  const found = candidates
    .filter((path) => existsSync(path))
    .flatMap((path) => tryRead(() => readClientFile(path, place)));
  if (found.length === 0) {
    throw new CliError(`no servers of ${from} were found`, {
      code: 'not_found',
      hint: `Looked for ${candidates.join(' and ')}.`,
    });
  }
  const servers = found.flatMap((content) => content.servers);
  return {
    servers: servers.toSorted((a, b) => Number(b.personal) - Number(a.personal)),
    inputs: found.flatMap(({ inputs }) => inputs),
  };
}

/** Of several files that may hold servers, one that holds none is no mistake. */
function tryRead(read: () => ClientContent): ClientContent[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof HubError && error.details?.['servers'] === 0) return [];
    throw error;
  }
}

function choose(content: ClientContent, only: readonly string[] | undefined): ClientContent {
  if (only === undefined) return content;
  const missing = only.find((name) => !content.servers.some((server) => server.name === name));
  if (missing !== undefined) {
    throw new CliError(`there is no server called ${missing}`, {
      code: 'not_found',
      hint: `There are: ${content.servers.map(({ name }) => name).join(', ')}.`,
    });
  }
  return { ...content, servers: content.servers.filter(({ name }) => only.includes(name)) };
}

/** From variables; what is left is asked for where somebody can answer. */
async function answerInputs(
  cli: Cli,
  content: ClientContent,
  { inputEnv = [], dryRun }: SourceOptions,
): Promise<Record<string, string>> {
  const { questionsOf } = await import('../app/index.js');
  const answers = Object.fromEntries(
    inputEnv.map((pair) => {
      const [, id, variable] = /^([^=]+)=(\w+)$/.exec(pair) ?? [];
      if (id === undefined || variable === undefined)
        throw usageError(`--input-env ${pair}: expected ID=VARIABLE`);
      return [id, readVariable(cli, variable)] as const;
    }),
  );
  if (dryRun === true || !cli.terminal.interactive) return answers;
  for (const { id, description, secret, fallback } of questionsOf(content)) {
    answers[id] ??= secret ? await readSecret(cli, description) : await readAnswer(description, fallback);
  }
  return answers;
}

async function makePlan(
  cli: Cli,
  content: ClientContent,
  answers: Readonly<Record<string, string>>,
  options: SourceOptions,
): Promise<readonly ImportedServer[]> {
  const { planImport, readSealedVariables, systemPlace } = await import('../app/index.js');
  const vault = {
    folder: dataFolderOf(options.data, cli.environment, cli.folder),
    masterKey: cli.environment['CROSSPOINT_MASTER_KEY'],
  };
  const variables = { ...(await readSealedVariables(vault)), ...cli.environment };
  return planImport({
    content,
    place: systemPlace(cli.folder, cli.environment),
    answers,
    variables,
    now: Date.now(),
  });
}
