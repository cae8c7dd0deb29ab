import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type RunningHub } from '../../src/app/index.js';
import { Secret, type Logger } from '../../src/kernel/index.js';

/** Shorter ones occur by chance. */
const LONG_ENOUGH = 12;
/** What holds a secret because that is what it is for. */
const KEPT_IN_CLEAR = new Set(['master.key', 'admin.token', 'local.token']);

interface KnownSecret {
  readonly name: string;
  readonly forms: readonly string[];
}

/**
 * Hears everything a hub says at debug level, and looks in it and in the hub's files for each secret that the hub knew.
 * Every hub that a test starts is watched.
 */
export class SecretWatch {
  readonly #lines: string[] = [];
  readonly logger: Logger = createLogger({
    level: 'debug',
    format: 'json',
    write: (line) => void this.#lines.push(line),
  });

  /** To be asked while the hub still runs. One that was stopped already tells nothing more. */
  async secretsOf({ hub, folder }: RunningHub, config: unknown): Promise<readonly KnownSecret[]> {
    const known = [
      secret('admin token', folder.adminToken.reveal()),
      secret('key of the agent local', folder.localToken.reveal()),
      ...[folder.masterKeys.active, ...(folder.masterKeys.retired ?? [])].map(({ key }) => ({
        name: 'master key',
        forms: [key.toString('base64'), key.toString('base64url'), key.toString('hex')],
      })),
      ...keysIn(config),
    ];
    try {
      known.push(...secretsIn('connector', await hub.connectors.list()));
      for (const { connector, owner, account } of await hub.storage.credentials.list())
        known.push(
          ...secretsIn(
            `credential of ${connector}`,
            await hub.storage.credentials.find(connector, owner, account),
          ),
        );
    } catch {
      // The hub was stopped by the test.
    }
    return known.filter(({ forms }) => forms.every((form) => form.length >= LONG_ENOUGH));
  }

  requireNoneShown(secrets: readonly KnownSecret[], dataFolder: string): void {
    const log = this.#lines.join('');
    const places: (readonly [string, string])[] = [['the log', log]];
    for (const name of existsSync(dataFolder) ? readdirSync(dataFolder) : []) {
      const path = join(dataFolder, name);
      if (!KEPT_IN_CLEAR.has(name)) places.push([name, readText(path)]);
    }
    const shown = places.flatMap(([place, text]) =>
      secrets
        .filter(({ forms }) => forms.some((form) => text.includes(form)))
        .map(({ name }) => `${name} in ${place}`),
    );
    if (shown.length > 0) throw new Error(`secrets in clear: ${shown.join('; ')}`);
  }
}

/** Bytes as they are; secrets are ASCII. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function secret(name: string, value: string): KnownSecret {
  return { name, forms: [value] };
}

/** Keys of agents are written down in the configuration only. */
function keysIn(config: unknown): KnownSecret[] {
  const agents =
    (config as { agents?: Record<string, { keys?: readonly string[] }> } | undefined)?.agents ?? {};
  return Object.entries(agents).flatMap(([agent, { keys = [] }]) =>
    keys.map((key) => secret(`key of ${agent}`, key)),
  );
}

function secretsIn(name: string, value: unknown): KnownSecret[] {
  if (value instanceof Secret) return [secret(name, value.reveal())];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(`${name}.${member}`, inner));
}
