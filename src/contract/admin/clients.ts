import { z } from 'zod';
import { pageOf, pageQuery, time } from './answers.js';
import { defineRoute } from './route.js';

/** A program that somebody let act as an agent. */
const clientView = z
  .strictObject({
    id: z.string(),
    clientId: z.string(),
    name: z.string(),
    agent: z.string(),
    scopes: z.array(z.string()),
    redirectUri: z.string(),
    approvedBy: z.string(),
    approvedAt: time,
  })
  .meta({ id: 'ApprovedClient' });

export const CLIENT_ROUTES = {
  list: defineRoute({
    id: 'listClients',
    method: 'get',
    path: '/clients',
    role: 'viewer',
    summary: 'Programs that were allowed to act as an agent',
    query: pageQuery,
    answer: pageOf(clientView),
  }),
  revoke: defineRoute({
    id: 'revokeClient',
    method: 'delete',
    path: '/clients/{id}',
    role: 'owner',
    summary: 'Take back what a program was allowed; its tokens end at once',
  }),
} as const;
