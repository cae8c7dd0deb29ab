import { HubError } from '../kernel/index.js';

export type StorageTarget =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres' };

/** `sqlite:PATH`, `sqlite::memory:`, `postgres://…`. The address may hold a password and is in no message. */
export function parseStorageUrl(url: string): StorageTarget {
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres' };
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  if (path === undefined || path.includes('\0'))
    throw new HubError('config_invalid', 'the store must be given as "sqlite:PATH" or "postgres://…"');
  return { kind: 'sqlite', path };
}
