import { withNotes, type AdminHub } from '../../support/admin-hub.js';
import { ADMIN, HASH, tell } from '../scenario.js';

export const ADDED = { type: 'connector.added', actor: ADMIN, before: HASH, after: HASH };
export const CHANGED = {
  type: 'connector.changed',
  connector: 'notes',
  actor: ADMIN,
  before: HASH,
  after: HASH,
};

/** Adds a connector `new`. */
export const addition = (body: object, status = 400) =>
  ({ request: { method: 'POST', path: '/connectors', body: { id: 'new', ...body } }, status }) as const;

/** Changes a connector `notes` that is there. */
export const patchNotes = (body: object) =>
  ({ given: withNotes, request: { method: 'PATCH', path: '/connectors/notes', body } }) as const;

export async function withBearer(hub: AdminHub): Promise<void> {
  await tell(hub, {
    method: 'POST',
    path: '/connectors',
    body: {
      id: 'notes',
      url: 'https://notes.example/mcp',
      auth: { type: 'bearer', token: 'canary-token-1234' },
    },
  });
}

/** Somebody who may much, but not all. */
export const operator = async () => ({ id: 'olga', role: 'operator' }) as const;
