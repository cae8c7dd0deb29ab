import type { Command } from 'commander';
import type { Step } from '../../app/index.js';
import { ADMIN_ROUTES, type ConnectorView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { CliError, usageError } from '../cli-error.js';
import { printJson, type Cli, type OutputOptions } from '../cli.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { examineAddress, examineConnector } from '../examine.js';
import { isOnThisMachine, type HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { escapeLine } from '../terminal/escape-text.js';
import { requireConnector } from '../find-connector.js';
import { withHub } from '../with-hub.js';

interface Report {
  readonly subject: string;
  readonly steps: readonly Step[];
}

export function addDoctorCommand(program: Command, cli: Cli): void {
  addHubCommand(program, {
    usage: 'doctor [subject]',
    summary:
      'Try each step to an upstream, and say what is wrong and how to mend it (without a subject: every connector)',
    examples: [
      'crosspoint doctor',
      'crosspoint doctor github',
      'crosspoint doctor https://mcp.example.com/mcp',
    ],
  }).action(async (subject: string | undefined, options: HubOptions & OutputOptions) => {
    if (subject !== undefined) requireSubject(subject);
    const reports =
      subject !== undefined && subject.includes('://')
        ? [await examineUrl(cli, subject, options)]
        : await examineConnectors(cli, subject, options);
    if (options.json === true) printJson(cli, subject === undefined ? reports : reports[0]);
    if (reports.some(({ steps }) => steps.some(({ state }) => state === 'failed')))
      cli.setExitCode(EXIT_FAILED);
  });
}

/** What has a point, a colon or a slash is no id of a connector, but an address that lacks its beginning. */
function requireSubject(subject: string): void {
  if (!subject.includes('://') && /[.:/]/.test(subject))
    throw usageError(
      `${subject} is neither the id of a connector nor a whole address`,
      `An address begins with http:// or https://, such as https://${subject}`,
    );
}

/** Needs no hub: for looking at a server before it is added. */
async function examineUrl(cli: Cli, text: string, options: OutputOptions): Promise<Report> {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageError(`${text} is not the address of a server: it must be an http or https URL`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw usageError(
      'an address must not contain a user name or password',
      'Leave them out: it is tried without a credential.',
    );
  return collect(cli, options, text, examineAddress(url));
}

function examineConnectors(
  cli: Cli,
  subject: string | undefined,
  options: HubOptions & OutputOptions,
): Promise<Report[]> {
  return withHub(cli, options, async (hub) => {
    if (!(await greet(cli, hub, options))) cli.setExitCode(EXIT_FAILED);
    const connectors: readonly ConnectorView[] =
      subject === undefined
        ? await hub.list(ADMIN_ROUTES.connectors.list, {})
        : [await requireConnector(hub, subject)];
    const reports: Report[] = [];
    for (const connector of connectors) {
      reports.push(
        await collect(
          cli,
          options,
          connector.id,
          examineConnector(cli, hub, connector, isOnThisMachine(hub.url)),
        ),
      );
    }
    return reports;
  });
}

/** Whether the hub itself can serve. */
async function greet({ terminal }: Cli, hub: HubClient, { json }: OutputOptions): Promise<boolean> {
  const failing = await hub.failingChecks();
  const { version, storage } = await hub.ask(ADMIN_ROUTES.status.get, {}).catch((error: unknown) => {
    // That is why.
    if (failing.length === 0 || !(error instanceof CliError)) throw error;
    throw new CliError(`the hub is not well: ${failing.join('; ')}`, { code: error.code, cause: error });
  });
  if (json !== true) terminal.print(`The hub at ${hub.url} runs version ${version} on ${storage.kind}.`);
  for (const reason of failing)
    terminal.note(terminal.colors.red(`The hub is not well: ${escapeLine(reason)}`));
  return failing.length === 0;
}

/** Shows each step as soon as it is known. */
async function collect(
  cli: Cli,
  options: OutputOptions,
  subject: string,
  steps: AsyncIterable<Step>,
): Promise<Report> {
  const { terminal } = cli;
  const seen: Step[] = [];
  if (options.json !== true) terminal.print(`\n${terminal.colors.bold(escapeLine(subject))}`);
  for await (const step of steps) {
    seen.push(step);
    if (options.json !== true) terminal.print(renderStep(cli, step));
  }
  return { subject, steps: seen };
}

const NAMES: Readonly<Record<Step['step'], string>> = {
  command: 'Command',
  dns: 'Name',
  tcp: 'Port',
  tls: 'Encryption',
  http: 'HTTP',
  era: 'Protocol',
  auth: 'Credential',
  list: 'Tools',
  calls: 'Calls',
};

function renderStep({ terminal: { colors } }: Cli, { step, state, detail, advice }: Step): string {
  const mark = { ok: colors.green('ok     '), failed: colors.red('failed '), skipped: colors.dim('-      ') }[
    state
  ];
  const line = `  ${mark} ${NAMES[step].padEnd(10)}  ${escapeLine(detail)}`;
  return advice === undefined
    ? line
    : `${line}\n${' '.repeat(10)}${colors.yellow(`→ ${escapeLine(advice)}`)}`;
}
