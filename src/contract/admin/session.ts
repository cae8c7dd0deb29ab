import { z } from 'zod';
import { time } from './answers.js';
import { ADMIN_ROLES, defineRoute } from './route.js';

const sessionView = z
  .strictObject({
    admin: z.strictObject({ id: z.string(), role: z.enum(ADMIN_ROLES) }),
    /** Of a browser that signed in; absent for whoever shows a token. */
    session: z
      .strictObject({
        id: z.string(),
        /** To be sent back in `x-csrf-token` with everything that is not a `GET`. */
        csrfToken: z.string(),
        startedAt: time,
        expiresAt: time,
      })
      .optional(),
  })
  .meta({ id: 'Session' });

const signInLink = z
  .strictObject({
    /** Signs one browser in, once. */
    url: z.string(),
    expiresAt: time,
  })
  .meta({ id: 'SignInLink' });

export const SESSION_ROUTES = {
  get: defineRoute({
    id: 'getSession',
    method: 'get',
    path: '/session',
    role: 'viewer',
    summary: 'Who is asking, and the token that writes of this browser need',
    answer: sessionView,
  }),
  end: defineRoute({
    id: 'endSession',
    method: 'delete',
    path: '/session',
    role: 'viewer',
    summary: 'Sign this browser out',
  }),
  addLink: defineRoute({
    id: 'addSignInLink',
    method: 'post',
    path: '/sign-in-links',
    role: 'operator',
    summary: 'Make a link that signs one browser in as the admin who asks, once, within ten minutes',
    answer: signInLink,
    creates: 'always',
    tokenOnly: true,
  }),
} as const;
