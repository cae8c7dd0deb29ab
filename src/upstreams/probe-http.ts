import type { Connector } from '../connectors/index.js';
import { HubError } from '../kernel/index.js';
import { TransportError, type HttpLines } from '../mcp/transports/index.js';
import { toHubError } from './upstream-failure.js';

type LineHandler = Parameters<HttpLines['dispatch']>[1];
type LineController = Parameters<LineHandler['onRequestStart']>[0];

/**
 * Whether something alive answers at the connector's address. An MCP server may refuse a bare GET in many ways, and
 * each of them proves that it lives; only silence and server errors do not.
 */
export async function probeHttp(
  connector: Connector,
  url: string,
  lines: HttpLines,
  timeoutMs: number,
): Promise<void> {
  let status: number;
  try {
    status = await statusOf(new URL(url), lines, timeoutMs);
  } catch (error) {
    throw toHubError(toTransportError(error), connector);
  }
  if (status >= 500)
    throw new HubError('upstream_unavailable', `connector ${connector.id}: answered with HTTP ${status}`);
}

function statusOf({ origin, pathname, search }: URL, lines: HttpLines, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = new Probe(resolve, reject, timeoutMs);
    const path = pathname + search;
    const headers = ['accept', 'text/event-stream'];
    try {
      lines.dispatch(
        { origin, path, method: 'GET', headers, body: null, headersTimeout: 0, bodyTimeout: 0 },
        probe,
      );
    } catch (error) {
      probe.onResponseError(undefined, error);
    }
  });
}

/** A stream may have been opened; its head is all that is wanted, so the connection ends with it. */
class Probe implements LineHandler {
  readonly #resolve: (status: number) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: LineController | undefined;
  #isOver = false;

  constructor(resolve: (status: number) => void, reject: (error: unknown) => void, timeoutMs: number) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => {
      this.onResponseError(undefined, new TransportError('TIMEOUT_FIRST_BYTE', 'no answer in time'));
    }, timeoutMs);
  }

  onRequestStart(controller: LineController): void {
    this.#controller = controller;
    if (this.#isOver) this.#abort();
  }

  onResponseStart(_controller: LineController, status: number): void {
    if (status < 200 || !this.#end()) return;
    this.#resolve(status);
    this.#abort();
  }

  onResponseData(): void {}

  onResponseEnd(): void {}

  onResponseError(_controller: LineController | undefined, error: unknown): void {
    if (!this.#end()) return;
    this.#reject(error);
    this.#abort();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }

  #abort(): void {
    this.#controller?.abort(new TransportError('ABORTED', 'nothing more is wanted'));
  }
}

function toTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof Error && error.cause instanceof TransportError) return error.cause;
  return new TransportError('CONNECT_FAILED', 'cannot be reached', { cause: error });
}
