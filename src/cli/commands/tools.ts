import type { Command } from 'commander';
import { ADMIN_ROUTES, type ToolView } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { DEFAULT_AGENT } from '../default-agent.js';
import type { HubOptions } from '../hub-address.js';
import { count } from '../terminal/format.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly connector?: string;
  readonly agent?: string;
  readonly all?: boolean;
}

export function addToolsCommand(program: Command, cli: Cli): void {
  addHubCommand(program, {
    usage: 'tools',
    summary: 'The tools an agent sees',
    examples: ['crosspoint tools', 'crosspoint tools --connector github --agent ci'],
  })
    .option('--connector <id>', 'only those of one connector')
    .option('--agent <agent>', `whose view (default: ${DEFAULT_AGENT})`)
    .option('--all', 'everything on offer, whoever may see it')
    .action((options: Options) =>
      withHub(cli, options, async (hub) => {
        const agent = options.all === true ? undefined : (options.agent ?? DEFAULT_AGENT);
        const query = { agent, connector: options.connector };
        const tools = await hub.list(ADMIN_ROUTES.tools.list, { query });
        show(cli, options, tools, () => printTools(cli, tools, agent));
      }),
    );
}

function printTools(cli: Cli, tools: readonly ToolView[], agent: string | undefined): void {
  const { terminal } = cli;
  if (tools.length === 0) {
    terminal.print(agent === undefined ? 'There are no tools.' : `The agent ${agent} sees no tools.`);
    if (agent !== undefined)
      terminal.note('Look at "crosspoint connector list", and whether a policy permits the agent.');
    return;
  }
  terminal.table(
    ['TOOL', 'RISK', 'DESCRIPTION'],
    tools.map(({ name, risk, title, description }) => [name, risk, firstLine(description ?? title ?? '')]),
    [terminal.colors.cyan, paintRisk(cli)],
  );
  terminal.note(count(tools.length, 'tool'));
}

function paintRisk({ terminal: { colors } }: Cli): (risk: string) => string {
  return (risk) =>
    risk === 'destructive' ? colors.red(risk) : risk === 'write' ? colors.yellow(risk) : colors.green(risk);
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? '';
}
