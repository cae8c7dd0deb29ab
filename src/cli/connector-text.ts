import type { ConnectorView, SyncAnswer } from '../contract/index.js';
import type { Cli } from './cli.js';
import { escapeLine } from './terminal/escape-text.js';
import { count } from './terminal/format.js';

/** Where a connector leads, on one line. */
export function addressOf({ url, command, argCount }: ConnectorView): string {
  if (command === undefined) return url ?? '';
  return argCount === undefined || argCount === 0 ? command : `${command} (${count(argCount, 'argument')})`;
}

/** How its credentials are: what wants attention first, otherwise how many there are. */
export function accountsOf({ auth, accounts }: ConnectorView): string {
  const { valid, expiring, needs_sign_in: needed, failed } = accounts;
  if (needed > 0) return needed === 1 ? 'needs sign-in' : `${needed} need sign-in`;
  if (failed > 0) return failed === 1 ? 'failed' : `${failed} failed`;
  if (valid + expiring > 0) return String(valid + expiring);
  return auth.type === 'oauth' ? 'none yet' : '-';
}

/** How its upstream is, as far as anybody knows. */
export function stateOf({ health }: ConnectorView): string {
  return health.state;
}

export function paintState({ terminal: { colors } }: Cli): (state: string) => string {
  return (state) => {
    if (state === 'healthy') return colors.green(state);
    if (state === 'unhealthy' || state === 'failed') return colors.red(state);
    return colors.dim(state);
  };
}

/** Without the name of the connector, which stands beside it already. */
export function reasonOf(id: string, reason: string | undefined): string {
  return (reason ?? 'does not answer').replace(`connector ${id}: `, '');
}

export function discovered(name: string, { tools }: Pick<SyncAnswer, 'tools'>): string {
  return `Discovered ${tools} tools from '${escapeLine(name)}'.`;
}

/** What a sync found, and what became different by it. The first time everything is new, which says nothing. */
export function syncLines(name: string, answer: SyncAnswer): string[] {
  const { tools, prompts, resources, added, removed, changed } = answer;
  if (removed.length + changed.length === 0 && added.length >= tools + prompts + resources)
    return [discovered(name, answer)];
  const list = (sign: string, names: readonly string[]): string[] =>
    names.map((tool) => `  ${sign} ${escapeLine(tool)}`);
  const lines = [...list('+', added), ...list('-', removed), ...list('~', changed)];
  const shown =
    lines.length > MOST_CHANGES
      ? [...lines.slice(0, MOST_CHANGES), `  … ${lines.length - MOST_CHANGES} more`]
      : lines;
  return [discovered(name, answer), ...shown];
}

const MOST_CHANGES = 40;
