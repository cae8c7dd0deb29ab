import type { RequestListener } from 'node:http';
import { HubError, type Logger } from '../kernel/index.js';
import type { Site } from './http-listener.js';
import { createLateListener } from './late-listener.js';
import { renderFailure } from './pages/failure-page.js';

/** A request of a browser, with the address of its connection, which may be that of a proxy. */
export type WebHandler = (request: Request, address: string) => Promise<Response>;

export interface WebSiteOptions {
  /** By path, then by method. `HEAD` is answered like `GET`. A path that ends with `/*` stands for all below it. */
  readonly routes: Readonly<Record<string, Readonly<Partial<Record<'GET' | 'POST', WebHandler>>>>>;
  readonly logger: Logger;
  /** How a failure looks, where it is not a page. */
  readonly renderError?: (error: unknown) => Response;
}

/** A site for people: pages and forms, failures as pages. */
export function createWebSite({ routes, logger, renderError = renderFailure }: WebSiteOptions): Site {
  const exact = new Map(Object.entries(routes).filter(([path]) => !path.endsWith('/*')));
  const below = Object.entries(routes)
    .filter(([path]) => path.endsWith('/*'))
    .map(([path, methods]) => [path.slice(0, -1), methods] as const);
  const methodsAt = (path: string) => exact.get(path) ?? below.find(([start]) => path.startsWith(start))?.[1];

  async function answer(request: Request, address: string): Promise<Response> {
    try {
      const methods = methodsAt(new URL(request.url).pathname);
      if (methods === undefined) throw new HubError('not_found', 'there is nothing at this address');
      const handler = methods[request.method === 'HEAD' ? 'GET' : (request.method as 'GET' | 'POST')];
      if (handler === undefined) throw notAllowed(Object.keys(methods));
      return await handler(request, address);
    } catch (error) {
      if (!(error instanceof HubError) || error.code === 'internal')
        logger.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'a page failed');
      return renderError(error);
    }
  }

  // The classes of `fetch` come along with it, so it is loaded for the first visitor.
  const open = async (): Promise<RequestListener> => {
    const { getRequestListener } = await import('@hono/node-server');
    const listener = getRequestListener(
      (request, { incoming }) => answer(request, incoming.socket.remoteAddress ?? ''),
      { overrideGlobalObjects: false },
    );
    return (request, response) => void listener(request, response);
  };
  return {
    owns: (path) => methodsAt(path) !== undefined,
    listener: createLateListener(open, logger),
  };
}

function notAllowed(methods: readonly string[]): HubError {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return new HubError('method_not_allowed', 'this address does not take that method', { details: { allow } });
}
