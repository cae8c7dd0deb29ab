import { z } from 'zod';
import { displayText } from '../display-text.js';
import { pageOf, pageQuery, time } from './answers.js';
import { ADMIN_ROLES, defineRoute } from './route.js';

const role = z.enum(ADMIN_ROLES);

export const adminAddition = z
  .strictObject({ id: z.string().min(1).max(64), name: displayText(200).optional(), role })
  .meta({ id: 'AdminAddition' });

export const adminView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    role,
    source: z.enum(['built_in', 'file', 'stored']),
    readOnly: z.boolean(),
    last4: z.string(),
    createdAt: time,
  })
  .meta({ id: 'Admin' });

/** The only answer that ever shows the token. */
const newAdmin = adminView.extend({ token: z.string() }).meta({ id: 'NewAdmin' });

export const ADMIN_ACCOUNT_ROUTES = {
  list: defineRoute({
    id: 'listAdmins',
    method: 'get',
    path: '/admins',
    role: 'owner',
    summary: 'All admins, with the holder of the hub’s own token',
    query: pageQuery,
    answer: pageOf(adminView),
  }),
  add: defineRoute({
    id: 'addAdmin',
    method: 'post',
    path: '/admins',
    role: 'owner',
    summary: 'Add an admin; its token is shown this once',
    body: adminAddition,
    answer: newAdmin,
    creates: 'always',
  }),
  remove: defineRoute({
    id: 'removeAdmin',
    method: 'delete',
    path: '/admins/{id}',
    role: 'owner',
    summary: 'Remove an admin; its token and its sessions end at once',
  }),
} as const;

export type AdminAddition = z.infer<typeof adminAddition>;
export type AdminView = z.infer<typeof adminView>;
