import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ADMIN_BASE_PATH, ADMIN_ROLES, type AdminRoute, type PathNames } from '../../contract/index.js';
import { HubError, isHubError } from '../../kernel/index.js';
import { stringifyJson } from '../../mcp/jsonrpc/index.js';
import type { Admin, AdminCaller } from '../../operations/index.js';
import type { AuthenticateAdmin } from './authentication.js';
import type { AdminDependencies } from './dependencies.js';
import { toDescription } from './describe-route.js';
import { readBody, readQuery } from './read-request.js';
import { traceRequest, type AdminTrace } from './trace-request.js';

/** What is known of a request besides what it says. */
export interface AdminEnv {
  Variables: { readonly admin: Admin; readonly requestId: string };
  Bindings: { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
}

export interface AdminRequest<Path extends string, Query, Body> {
  readonly by: AdminCaller;
  /** By the names in braces of the path. */
  readonly names: Readonly<Record<PathNames<Path>, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly ifMatch: string | undefined;
  readonly lastEventId: string | undefined;
  readonly isHead: boolean;
  /** Whether it wants to hear of what happens on the way to the answer. */
  readonly wantsStream: boolean;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  readonly trace: AdminTrace;
  /** Whether the same admin would still be let in with this request, for answers that take long. */
  readonly mayGoOn: () => Promise<boolean>;
}

export interface AdminAnswer<Answer> {
  /** Undefined only with a stream. */
  readonly body: Answer | undefined;
  /** Whether it was not there before. */
  readonly created?: boolean;
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a body. */
  readonly stream?: ReadableStream<Uint8Array>;
}

export type Register = <Path extends string, Query, Body, Answer>(
  route: AdminRoute<Path, Query, Body, Answer>,
  handler: (request: AdminRequest<Path, Query, Body>) => Promise<AdminAnswer<Answer>>,
) => void;

/** Puts routes of the contract onto the app and into its description, so that neither can be without the other. */
export function createRegister(
  app: OpenAPIHono<AdminEnv>,
  deps: Pick<AdminDependencies, 'maxBodyBytes' | 'authenticateAdmin' | 'tracer'>,
): Register {
  const { maxBodyBytes, authenticateAdmin, tracer } = deps;
  return (route, handler) => {
    app.openAPIRegistry.registerPath(toDescription(route));
    const path = ADMIN_BASE_PATH + route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const serve = async (c: Context<AdminEnv>, trace: AdminTrace): Promise<Response> => {
      const admin = c.get('admin');
      requireRole(admin, route);
      const answer = await handler({
        by: { ...admin, request: c.get('requestId') },
        names: c.req.param() as never,
        query: readQuery(route, new URL(c.req.url)),
        body: await readBody(route, c.req.raw, maxBodyBytes),
        ifMatch: c.req.header('if-match'),
        lastEventId: c.req.header('last-event-id'),
        isHead: c.req.raw.method === 'HEAD',
        wantsStream: route.streams !== undefined && acceptsStream(c.req.header('accept')),
        signal: c.req.raw.signal,
        trace,
        mayGoOn: () => isStillLetIn(c, route, admin, authenticateAdmin),
      });
      return toResponse(c, route, answer);
    };
    app.on(route.method.toUpperCase(), path, (c) => {
      const header = (name: string): string | undefined => c.req.header(name);
      return traceRequest(tracer, { route, requestId: c.get('requestId'), header }, (trace) =>
        serve(c, trace),
      );
    });
  };
}

function requireRole({ role, signedIn }: Admin, route: AdminRoute): void {
  if (ADMIN_ROLES.indexOf(role) < ADMIN_ROLES.indexOf(route.role))
    throw new HubError('forbidden', `this needs the role ${route.role}`);
  if (route.tokenOnly === true && signedIn !== undefined)
    throw new HubError('forbidden', 'this needs an admin token');
}

async function isStillLetIn(
  c: Context<AdminEnv>,
  route: AdminRoute,
  { id }: Admin,
  authenticateAdmin: AuthenticateAdmin,
): Promise<boolean> {
  try {
    const admin = await authenticateAdmin(c.req.raw, addressOf(c), { isUse: false });
    if (admin?.id !== id) return false;
    requireRole(admin, route);
    return true;
  } catch (error) {
    // That it cannot be found out at the moment says nothing about anybody.
    return !isHubError(error, 'forbidden');
  }
}

/** Of the connection. What a header claims is for whoever knows which proxies to believe. */
export function addressOf(c: Context<AdminEnv>): string {
  return c.env?.incoming?.socket?.remoteAddress ?? '';
}

/** Whoever takes either gets the answer alone. */
function acceptsStream(accept = ''): boolean {
  const types = accept.split(',').map((each) => each.split(';')[0]?.trim().toLowerCase());
  return types.includes('text/event-stream') && !types.includes('application/json');
}

function toResponse(
  c: Context,
  route: AdminRoute,
  { body, created, tag, headers: more = {}, stream }: AdminAnswer<unknown>,
): Response {
  if (tag !== undefined) c.header('etag', tag);
  for (const [name, value] of Object.entries(more)) c.header(name, value);
  if (route.answers === 'nothing') return c.body(null, 204);
  if (route.answers === 'event_stream' || (route.streams !== undefined && stream !== undefined)) {
    // Whatever stands between must pass events on as they come.
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
    return stream === undefined ? c.body(null, 200, headers) : c.body(stream, 200, headers);
  }
  if (route.answers === 'lines') {
    const headers = { 'content-type': 'application/x-ndjson; charset=utf-8', 'x-accel-buffering': 'no' };
    return stream === undefined ? c.body(null, 200, headers) : c.body(stream, 200, headers);
  }
  const isNew = route.creates === 'always' || (route.creates === 'maybe' && created === true);
  return c.body(stringifyJson(body), isNew ? 201 : 200, { 'content-type': 'application/json' });
}
