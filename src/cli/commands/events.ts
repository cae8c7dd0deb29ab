import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  ADMIN_ROUTES,
  CALL_OUTCOMES,
  EVENT_TYPES,
  type EventFilters,
  type EventView,
} from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { printJson, type Cli, type OutputOptions } from '../cli.js';
import { describeEvent } from '../event-text.js';
import { followEvents } from '../follow-events.js';
import type { HubOptions } from '../hub-address.js';
import { withHub } from '../with-hub.js';
import { addEventsVerifyCommand } from './events-verify.js';

interface Options extends HubOptions, OutputOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly agent?: string;
  readonly connector?: string;
  readonly outcome?: (typeof CALL_OUTCOMES)[number];
  readonly tool?: string;
  readonly type?: (typeof EVENT_TYPES)[number];
  readonly call?: string;
  readonly since?: string;
}

export function addEventsCommand(program: Command, cli: Cli): void {
  const events = addHubCommand(program, {
    usage: 'events',
    summary: 'The event log: who called what, and what became of it; the newest last',
    examples: [
      'crosspoint events --limit 20',
      'crosspoint events --follow --agent ci',
      'crosspoint events --outcome denied --since 2026-11-01',
      'crosspoint events --call 0e2ad1a4-6d4f-4f3c-8f8a-3f0f3a8f8a11',
      'crosspoint events verify',
    ],
  })
    .option('--follow', 'go on with what happens from now on')
    .option('--limit <count>', 'how many of the latest', toCount, 50)
    .option('--agent <agent>', 'only those of one agent')
    .option('--connector <id>', 'only those of one connector')
    .option('--tool <name>', 'only calls of one tool, by the name it is offered under')
    .addOption(new Option('--outcome <outcome>', 'only calls that ended so').choices(CALL_OUTCOMES))
    .addOption(new Option('--type <type>', 'only events of one kind').choices(EVENT_TYPES))
    .option('--call <id>', 'only those of one call, by the id that its error or its trace names')
    .option('--since <time>', 'not those before: 2026-11-01, or with time and zone')
    .action((options: Options) => run(cli, options));
  addEventsVerifyCommand(events, cli);
}

function run(cli: Cli, options: Options): Promise<void> {
  const { agent, connector, tool, outcome, type, call: callId, since } = options;
  const filters: EventFilters = { agent, connector, tool, outcome, type, callId, since };
  return withHub(cli, options, async (hub) => {
    const latest =
      options.limit === 0
        ? []
        : (await hub.list(ADMIN_ROUTES.events.list, { query: filters }, options.limit)).toReversed();
    const print = (event: EventView): void =>
      options.json === true ? printJson(cli, event) : cli.terminal.print(describeEvent(cli, event));
    if (options.follow !== true) {
      if (options.json === true) return printJson(cli, latest);
      if (latest.length === 0) cli.terminal.note('There are no such events.');
      return latest.forEach(print);
    }
    latest.forEach(print);
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    process.once('SIGTERM', () => stop.abort());
    await followEvents(hub, { filters, after: latest.at(-1)?.sequence, signal: stop.signal, onEvent: print });
  });
}

function toCount(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 0) throw new InvalidArgumentError('It must be a whole number.');
  return limit;
}
