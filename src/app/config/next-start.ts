import { Secret } from '../../kernel/index.js';
import type { Config } from './config.js';

/** What a hub takes up at its start only, by the name it has in the file. */
function settingsOf(config: Config): Readonly<Record<string, unknown>> {
  return {
    ...under('server', config.server),
    'storage.url': config.storageUrl,
    'coordination.url': config.coordinationUrl,
    'admin.token': config.adminToken,
    ...under('auth', config.auth),
    ...under('audit', config.audit),
    ...under('limits', config.limits),
    ...under('health', config.health),
    'sync.intervalMs': config.syncIntervalMs,
    outputCheck: config.outputCheck,
    idempotencyKeys: config.idempotencyKeys,
    'telemetry.otlp': config.telemetry.otlp,
  };
}

/** Settings that are others than those the hub was started with, and wait for its next start. */
export function findNextStartSettings(started: Config, read: Config): readonly string[] {
  const [before, after] = [settingsOf(started), settingsOf(read)];
  return Object.keys(after).filter((name) => !isSame(before[name], after[name]));
}

/** Of two that were read as of the same time: whether the one says what the other says. */
export function isSameConfig(one: Config, other: Config): boolean {
  return isSame(one, other);
}

function under(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value as unknown]),
  );
}

/** Unlike Node's own comparison it looks into secrets, and into addresses. */
function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Secret && other instanceof Secret) return one.reveal() === other.reveal();
  if (one instanceof URL && other instanceof URL) return one.href === other.href;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other);
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const member = (value: object, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];
  return [...names].every((name) => isSame(member(one, name), member(other, name)));
}
