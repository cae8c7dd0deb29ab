import type { Command } from 'commander';
import { ADMIN_ROUTES, type PolicyExplanation } from '../../contract/index.js';
import { addHubCommand, collect } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import type { HubOptions } from '../hub-address.js';
import { renderFields } from '../terminal/format.js';
import { readJsonArguments } from '../tool-arguments.js';
import { withHub } from '../with-hub.js';

interface Options extends HubOptions, OutputOptions {
  readonly agent: string;
  readonly tool: string;
  readonly args?: string;
  readonly seen?: readonly string[];
}

export function addPolicyExplainCommand(parent: Command, cli: Cli): void {
  addHubCommand(parent, {
    usage: 'explain',
    summary: 'What the policies say of a call, which of them decided, and why',
    examples: [
      'crosspoint policy explain --agent ci --tool github__create_issue',
      `crosspoint policy explain --agent ci --tool db__query --args '{"limit":10}'`,
      'crosspoint policy explain --agent ci --tool mail__send --seen untrusted',
    ],
  })
    .requiredOption('--agent <agent>', 'who would call')
    .requiredOption('--tool <tool>', 'what would be called, by the name agents see')
    .option('--args <json>', 'with which arguments')
    .option('--seen <tag>', 'after something with this tag was used (repeatable)', collect)
    .action((options: Options) => {
      const { agent, tool, args, seen } = options;
      const body = {
        agent,
        tool,
        ...(args !== undefined && { arguments: readJsonArguments(args) }),
        ...(seen !== undefined && { seen: [...seen] }),
      };
      return withHub(cli, options, async (hub) => {
        const explanation = await hub.ask(ADMIN_ROUTES.policies.explain, { body });
        show(cli, options, explanation, () => printExplanation(cli, agent, explanation));
      });
    });
}

const VERBS = { allow: 'may', deny: 'may not', confirm: 'may, after confirmation,' } as const;

function printExplanation({ terminal }: Cli, agent: string, explanation: PolicyExplanation): void {
  const { decision, policies, reason, listed, connector, tool, exposedName, risk, tags } = explanation;
  const { colors } = terminal;
  const paint = { allow: colors.green, deny: colors.red, confirm: colors.yellow }[decision];
  terminal.print(`${paint(decision)}: ${agent} ${VERBS[decision]} call ${exposedName}.`);
  terminal.print(
    renderFields([
      ['Why', reason],
      ['Decided by', policies.length === 0 ? 'no policy' : policies.join(', ')],
      ['In its list', listed ? 'yes' : 'no: to this agent the tool does not exist'],
      ['Upstream', `${connector} / ${tool}`],
      ['Risk', risk],
      ['Tags', tags.join(', ')],
    ]),
  );
}
