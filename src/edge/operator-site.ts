import { HubError, type Logger } from '../kernel/index.js';
import type { AuthenticateAdmin } from './admin/authentication.js';
import { toFailedAnswer } from './admin/error-answer.js';
import type { Site } from './http-listener.js';
import { createWebSite } from './web-site.js';

/** Something without which calls cannot be served. */
export interface ReadyCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong, and what to do. */
  readonly reason?: string;
}

export interface OperatorSiteOptions {
  readonly authenticateAdmin: AuthenticateAdmin;
  readonly checks: () => readonly ReadyCheck[];
  /** Who may read the numbers: whoever shows an admin's token, everybody who reaches the port, or nobody. */
  readonly metrics: () => 'admin' | 'open' | 'off';
  readonly readMetrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly logger: Logger;
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** What those who run the hub look at: `/metrics`, and the reasons behind `/ready`. */
export function createOperatorSite(options: OperatorSiteOptions): Site {
  const { authenticateAdmin, checks, metrics, readMetrics, logger } = options;
  return createWebSite({
    logger,
    renderError: (error) => {
      const { status, headers, body } = toFailedAnswer(error);
      return Response.json(body, { status, headers: { ...HEADERS, ...headers } });
    },
    routes: {
      '/metrics': {
        async GET(request, address) {
          const access = metrics();
          if (access === 'off') throw new HubError('not_found', 'there is nothing at this address');
          if (access === 'admin' && (await authenticateAdmin(request, address)) === undefined)
            throw new HubError('unauthenticated', 'this needs the token of an admin');
          const { type, text } = await readMetrics();
          return new Response(text, { headers: { ...HEADERS, 'content-type': type } });
        },
      },
      '/ready': {
        async GET(request, address) {
          const all = checks();
          const ready = all.every(({ ok }) => ok);
          const admin = await authenticateAdmin(request, address).catch(() => undefined);
          return Response.json(
            { status: ready ? 'ready' : 'not ready', ...(admin !== undefined && { checks: all }) },
            { status: ready ? 200 : 503, headers: HEADERS },
          );
        },
      },
    },
  });
}
