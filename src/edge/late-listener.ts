import type { RequestListener } from 'node:http';
import type { Logger } from '../kernel/index.js';

const FAILED = JSON.stringify({
  error: { code: 'internal', message: 'this part of the hub could not be loaded' },
});

/** Loaded for the first request. Where that fails, whoever asks is told so, and the next one tries again. */
export function createLateListener(open: () => Promise<RequestListener>, logger: Logger): RequestListener {
  let opened: Promise<RequestListener> | undefined;
  return (request, response) => {
    opened ??= open();
    opened.then(
      (listener) => listener(request, response),
      (error: unknown) => {
        opened = undefined;
        logger.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'loading failed');
        response.writeHead(500, { 'content-type': 'application/json' }).end(FAILED);
      },
    );
  };
}
