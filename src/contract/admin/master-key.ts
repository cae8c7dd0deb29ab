import { z } from 'zod';
import { defineRoute } from './route.js';

/** Names of keys, never keys. */
const masterKeyView = z
  .strictObject({
    place: z.strictObject({ kind: z.string(), name: z.string() }),
    active: z.string(),
    /** Keys that are still needed for what they sealed. */
    retired: z.array(z.string()),
  })
  .meta({ id: 'MasterKey' });

const rotatedMasterKey = masterKeyView
  .extend({ resealed: z.int(), unreadable: z.int() })
  .meta({ id: 'RotatedMasterKey' });

export const MASTER_KEY_ROUTES = {
  get: defineRoute({
    id: 'getMasterKey',
    method: 'get',
    path: '/master-key',
    role: 'owner',
    summary: 'Which master key seals secrets, and where it is kept',
    answer: masterKeyView,
  }),
  rotate: defineRoute({
    id: 'rotateMasterKey',
    method: 'post',
    path: '/master-key/rotate',
    role: 'owner',
    summary: 'Make a new master key and seal everything with it, while the hub serves',
    answer: rotatedMasterKey,
  }),
} as const;
