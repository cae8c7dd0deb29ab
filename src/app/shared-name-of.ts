import { createHash } from 'node:crypto';
import type { Connector } from '../connectors/index.js';

/** By which all processes of a hub know a connector as it is described. One that was changed is another one. */
export function sharedNameOf(connector: Connector): string {
  const { version: _v, createdAt: _c, updatedAt: _u, ...settings } = connector;
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);
  return `${connector.id}:${digest}`;
}
