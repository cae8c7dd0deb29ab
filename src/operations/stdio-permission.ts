import type { ConnectorInput, ConnectorPatch } from '../contract/index.js';
import { invalidField } from '../kernel/index.js';
import { requireOwner, type Admin } from './admin.js';

const COMMAND_FIELDS = ['command', 'args', 'env', 'cwd', 'pins'] as const;

/** Whoever may name a command may do anything the hub may, so by default only the operator's own configuration can. */
export function requireStdioAllowed(
  by: Admin,
  input: ConnectorInput | ConnectorPatch,
  allowed: boolean,
): void {
  const field = COMMAND_FIELDS.find((name) => input[name] !== undefined) ?? namedStdio(input);
  if (field === undefined) return;
  if (!allowed) {
    throw invalidField(
      field,
      'commands are taken from the configuration file, the environment or the local command line only (an operator may set server.allowStdioFromApi)',
    );
  }
  requireOwner(by, 'name a command to run');
}

function namedStdio({ transport, type }: ConnectorInput | ConnectorPatch): string | undefined {
  if (transport === 'stdio') return 'transport';
  return type === 'stdio' ? 'type' : undefined;
}
