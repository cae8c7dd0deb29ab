import type { Command } from 'commander';

export interface CommandText {
  /** With its arguments, as commander writes them. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
}

/** A command that says what it does and shows how it is used. */
export function addCommand(parent: Command, { usage, summary, examples }: CommandText): Command {
  return parent
    .command(usage)
    .description(summary)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  ${line}`).join('\n')}`,
    );
}

/** A command that speaks to a running hub. */
export function addHubCommand(parent: Command, text: CommandText): Command {
  return addCommand(parent, text)
    .option('--url <url>', 'address of the hub (or CROSSPOINT_URL; default: the hub of the data folder)')
    .option(
      '--token <token>',
      'admin token (better in CROSSPOINT_ADMIN_TOKEN; default: the one in the data folder)',
    )
    .option('--data <folder>', 'data folder of the hub (or CROSSPOINT_DATA; default: .crosspoint)');
}

/** A command that reads the configuration itself. */
export function addLocalCommand(parent: Command, text: CommandText): Command {
  return addCommand(parent, text)
    .option('--config <file>', 'configuration file (default: crosspoint.yaml in this folder)')
    .option('--data <folder>', 'data folder of the hub (or CROSSPOINT_DATA; default: .crosspoint)');
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
