import { createHash } from 'node:crypto';
import type { Connector } from '../connectors/index.js';

/** By which all processes of a hub know a connector as it is described. One that was changed is another one. */
export function sharedNameOf({ version, createdAt, updatedAt: _, ...settings }: Connector): string {
  // The store counts changes for all processes, also of secrets, which print alike, and back to what was before.
  const changes = settings.source === 'stored' ? [createdAt, version] : [];
  const described = JSON.stringify([settings, ...changes]);
  return `${settings.id}:${createHash('sha256').update(described).digest('base64url').slice(0, 16)}`;
}
