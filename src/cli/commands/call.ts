import { InvalidArgumentError, type Command } from 'commander';
import { ADMIN_ROUTES, type ToolView } from '../../contract/index.js';
import type { JsonObject } from '../../mcp/jsonrpc/index.js';
import { addHubCommand } from '../add-command.js';
import { CliError, usageError } from '../cli-error.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { DEFAULT_AGENT } from '../default-agent.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import type { HubClient } from '../hub-client.js';
import { withProgress } from '../terminal/progress.js';
import { readJsonArguments, readPairs, splitPairs, type Pairs } from '../tool-arguments.js';
import { renderResult } from '../tool-result.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly args?: string;
  readonly agent: string;
  readonly timeout: number;
}

export function addCallCommand(program: Command, cli: Cli): void {
  addHubCommand(program, {
    usage: 'call <tool> [pairs...]',
    summary: 'Call a tool as an agent; ends with 1 if the tool reports an error',
    examples: [
      'crosspoint call sample__echo text=hello',
      'crosspoint call db__query limit=10 columns=\'["id","name"]\'',
      'crosspoint call db__query --args \'{"limit":10}\' --agent ci --json',
    ],
  })
    .option('--args <json>', 'all arguments as one JSON object')
    .option('--agent <agent>', 'on whose behalf', DEFAULT_AGENT)
    .option('--timeout <seconds>', 'how long to wait', toSeconds, 600)
    .action((tool: string, pairs: string[], options: Options) => {
      const given = readGiven(pairs, options);
      return withHub(cli, options, async (hub) => {
        const args = given.all ?? (await readTexts(hub, tool, given.pairs, options.agent));
        const body = { agent: options.agent, name: tool, arguments: args };
        const { result } = await withProgress(cli.terminal, `Calling ${tool}`, () =>
          hub
            .ask(ADMIN_ROUTES.tools.call, { body, timeoutMs: options.timeout * 1_000 })
            .catch((error: unknown) => explainUnknown(hub, tool, options.agent, error)),
        );
        show(cli, options, result, () => cli.terminal.print(renderResult(result)));
        if (result['isError'] !== true) return;
        cli.terminal.note(cli.terminal.noteColors.red('The tool reported an error.'));
        cli.setExitCode(EXIT_FAILED);
      });
    });
}

/** What the command line says, before anybody is asked what the tool wants. */
function readGiven(
  pairs: readonly string[],
  { args }: Options,
): { readonly all?: JsonObject; readonly pairs: Pairs } {
  if (args === undefined) return { pairs: splitPairs(pairs) };
  if (pairs.length > 0) throw usageError('give arguments either as name=value or with --args, not both');
  return { all: readJsonArguments(args), pairs: new Map() };
}

async function readTexts(hub: HubClient, name: string, pairs: Pairs, agent: string): Promise<JsonObject> {
  if (pairs.size === 0) return {};
  const tool = await findTool(hub, name, agent);
  return readPairs(pairs, tool.inputSchema);
}

/** The hub says no more than that it knows no such tool; here it can be told what there is. */
async function explainUnknown(hub: HubClient, name: string, agent: string, error: unknown): Promise<never> {
  if (error instanceof CliError && error.code === 'unknown_tool') await findTool(hub, name, agent);
  throw error;
}

async function findTool(hub: HubClient, name: string, agent: string): Promise<ToolView> {
  const tools = await hub.list(ADMIN_ROUTES.tools.list, { query: { agent } });
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const wanted = toPlain(name);
  const similar = tools
    .filter((tool) => toPlain(tool.tool) === wanted || toPlain(tool.name) === wanted)
    .map((tool) => tool.name);
  throw new CliError(`the agent ${agent} sees no tool called ${name}`, {
    code: 'unknown_tool',
    hint:
      similar.length > 0
        ? `Did you mean ${similar.slice(0, 3).join(' or ')}?`
        : `See what there is with "crosspoint tools --agent ${agent}", and why with "crosspoint policy explain --agent ${agent} --tool ${name}".`,
  });
}

/** Names that differ by case, by how words are joined, or by a connector written as in policies, look alike to people. */
function toPlain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new InvalidArgumentError('It must be a number of seconds, at most a day.');
  return seconds;
}
