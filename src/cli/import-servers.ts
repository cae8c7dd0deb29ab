import type { ImportedServer } from '../app/index.js';
import type { CredentialInput } from '../contract/index.js';
import type { Secret } from '../kernel/index.js';
import { CliError } from './cli-error.js';
import { printJson, type Cli, type OutputOptions } from './cli.js';
import { reasonOf } from './connector-text.js';
import { EXIT_FAILED } from './exit-codes.js';
import type { HubClient } from './hub-client.js';
import { printNotes } from './import-text.js';
import { findConnector } from './find-connector.js';
import { watchReload } from './hub-reload.js';
import { changeOperatorFile, findOperatorFile, type OperatorFileOptions } from './operator-file.js';
import { storeConnector } from './store-connector.js';
import { escapeLine } from './terminal/escape-text.js';
import { syncConnector } from './sync-connector.js';
import { withProgress } from './terminal/progress.js';
import { withHub } from './with-hub.js';

type Options = OperatorFileOptions & OutputOptions;
type Remote = Extract<ImportedServer, { kind: 'remote' }>;
type Local = Extract<ImportedServer, { kind: 'local' }>;

interface Outcome {
  readonly name: string;
  readonly id?: string;
  readonly state: 'imported' | 'exists' | 'failed';
  readonly tools?: number;
  readonly problem?: string;
}

/** Remote servers go to the hub, commands into the operator's file; then the hub looks what each offers. */
export async function carryOutImport(
  cli: Cli,
  options: Options,
  plan: readonly ImportedServer[],
): Promise<void> {
  if (plan.length === 0) throw new CliError('there are no servers in it', { code: 'not_found' });
  await withHub(cli, options, async (hub) => {
    if (options.json !== true) printNotes(cli, plan);
    const outcomes: Outcome[] = [];
    for (const server of plan) {
      if (server.kind === 'unusable')
        outcomes.push({ name: server.name, state: 'failed', problem: server.reason });
      if (server.kind === 'remote') outcomes.push(await importRemote(hub, server));
    }
    outcomes.push(
      ...(await importLocal(
        cli,
        hub,
        options,
        plan.filter((server) => server.kind === 'local'),
      )),
    );
    const synced = await withProgress(cli.terminal, 'Asking what they offer', () =>
      Promise.all(outcomes.map((outcome) => withTools(hub, outcome))),
    );
    report(cli, options, synced);
  });
}

async function importRemote(hub: HubClient, { name, id, connector, credential }: Remote): Promise<Outcome> {
  if ((await findConnector(hub, id)) !== undefined) return { name, id, state: 'exists' };
  try {
    await storeConnector(hub, {
      id,
      connector: { ...connector, name },
      credential: credential === undefined ? undefined : toInput(credential),
    });
    return { name, id, state: 'imported' };
  } catch (error) {
    return failure({ name, id }, error);
  }
}

function toInput({ token, value, headers }: NonNullable<Remote['credential']>): CredentialInput {
  const reveal = (secrets: Readonly<Record<string, Secret>>): Record<string, string> =>
    Object.fromEntries(Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]));
  return {
    ...(token !== undefined && { token: token.reveal() }),
    ...(value !== undefined && { value: value.reveal() }),
    ...(headers !== undefined && { headers: reveal(headers) }),
  };
}

/** All in one change of the file, so that the hub reloads once. */
async function importLocal(
  cli: Cli,
  hub: HubClient,
  options: Options,
  servers: readonly Local[],
): Promise<Outcome[]> {
  if (servers.length === 0) return [];
  const file = await findOperatorFile(cli, options);
  const known = await Promise.all(servers.map(({ id }) => findConnector(hub, id)));
  const exists = (server: Local, index: number): boolean =>
    file.connectors.includes(server.id) || (known[index] !== undefined && known[index].source !== 'built_in');
  const added = servers.filter((server, index) => !exists(server, index));
  if (added.length > 0) {
    const variables = Object.assign({}, ...added.map((server) => server.variables)) as Local['variables'];
    const edits = added.map(({ id, name, connector }) => ({
      kind: 'set' as const,
      id,
      connector: id === name ? connector : { name, ...connector },
    }));
    const reload = await watchReload(hub);
    await changeOperatorFile(cli, options, file, edits, variables);
    for (const { id } of added) await reload.until(id, (found) => found?.source === 'file');
  }
  return servers.map((server) => ({
    name: server.name,
    id: server.id,
    state: added.includes(server) ? 'imported' : 'exists',
  }));
}

async function withTools(hub: HubClient, outcome: Outcome): Promise<Outcome> {
  if (outcome.state !== 'imported' || outcome.id === undefined) return outcome;
  const connector = await findConnector(hub, outcome.id);
  if (connector?.enabled !== true) return outcome;
  const sync = await syncConnector(hub, outcome.id);
  return 'error' in sync
    ? { ...outcome, problem: reasonOf(outcome.id, sync.error.message) }
    : { ...outcome, tools: sync.tools };
}

function failure(server: { readonly name: string; readonly id: string }, error: unknown): Outcome {
  if (!(error instanceof CliError)) throw error;
  return { ...server, state: 'failed', problem: error.message };
}

function report(cli: Cli, options: Options, outcomes: readonly Outcome[]): void {
  if (outcomes.some(({ state }) => state === 'failed')) cli.setExitCode(EXIT_FAILED);
  if (options.json === true) return printJson(cli, outcomes);
  const { colors } = cli.terminal;
  cli.terminal.table(
    ['SERVER', 'CONNECTOR', 'OUTCOME', 'TOOLS', 'PROBLEM'],
    outcomes.map(({ name, id, state, tools, problem }) => [
      name,
      id ?? '-',
      WORDS[state],
      tools === undefined ? '-' : String(tools),
      problem === undefined ? '' : escapeLine(problem),
    ]),
    [colors.cyan, undefined, (text) => (text === WORDS.failed ? colors.red(text) : text)],
  );
}

const WORDS = { imported: 'imported', exists: 'is there already', failed: 'failed' } as const;
