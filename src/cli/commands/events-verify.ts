import type { Command } from 'commander';
import { ADMIN_ROUTES } from '../../contract/index.js';
import { addHubCommand } from '../add-command.js';
import { show, type Cli, type OutputOptions } from '../cli.js';
import { EXIT_FAILED } from '../exit-codes.js';
import type { HubOptions } from '../hub-address.js';
import { withProgress } from '../terminal/progress.js';
import { withHub } from '../with-hub.js';

const VERIFY_MS = 3_600_000;

export function addEventsVerifyCommand(events: Command, cli: Cli): void {
  addHubCommand(events, {
    usage: 'verify',
    summary: 'Check the hash chain of the whole log; ends with 1 if anything was altered or removed',
    examples: ['crosspoint events verify'],
  }).action((_: unknown, command: Command) => {
    // The group takes the same options, and whichever comes first on the line gets them.
    const options = command.optsWithGlobals<HubOptions & OutputOptions>();
    return withHub(cli, options, async (hub) => {
      const verdict = await withProgress(cli.terminal, 'Checking the event log', () =>
        hub.ask(ADMIN_ROUTES.events.verify, { timeoutMs: VERIFY_MS }),
      );
      show(cli, options, verdict, () => {
        const { terminal } = cli;
        if (verdict.ok) {
          const { first, head } = verdict;
          const from = first === 1 ? '' : ` from number ${first} on`;
          terminal.print(
            `${terminal.colors.green('The event log is whole')}: ${verdict.events} events${from}, the last hash is ${head}.`,
          );
        } else
          terminal.print(
            terminal.colors.red(
              `The event log is not whole: event ${verdict.sequence} is ${verdict.problem}.`,
            ),
          );
      });
      if (!verdict.ok) cli.setExitCode(EXIT_FAILED);
    });
  });
}
