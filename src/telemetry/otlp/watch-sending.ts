import type { Logger } from '../../kernel/index.js';

interface Result {
  readonly error?: Error;
}

interface Exporter<Items, Outcome extends Result> {
  export(items: Items, done: (outcome: Outcome) => void): void;
}

/** Tells once that what an exporter sends is not taken, and once that it is again. */
export function watchSending<Items, Outcome extends Result, Sender extends Exporter<Items, Outcome>>(
  exporter: Sender & Exporter<Items, Outcome>,
  signal: 'traces' | 'metrics',
  logger: Logger,
): Sender {
  const send = exporter.export.bind(exporter);
  let isTold = false;
  exporter.export = (items, done) =>
    send(items, (outcome) => {
      const { error } = outcome;
      if (error !== undefined && !isTold)
        logger.warn({ signal, ...reasonOf(error) }, 'telemetry could not be sent');
      if (error === undefined && isTold) logger.info({ signal }, 'telemetry can be sent again');
      isTold = error !== undefined;
      done(outcome);
    });
  return exporter;
}

/** A status of HTTP or a code of the system. A collector's own words may hold anything. */
function reasonOf(error: Error): { readonly reason?: string | number } {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? { reason: code } : {};
}
