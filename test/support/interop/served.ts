import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server under test lets the test see of it. */
export class Observed {
  /** Names of the calls whose signal was aborted. */
  readonly cancelled: string[] = [];
  readonly #waiting = new Set<() => void>();

  cancel(name: string): void {
    this.cancelled.push(name);
    for (const wake of this.#waiting) wake();
  }

  /** Resolves once a call of that name was cancelled. */
  async untilCancelled(name: string): Promise<void> {
    while (!this.cancelled.includes(name)) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}

export interface HttpServed extends AsyncDisposable {
  readonly url: string;
}

/** Listens on a free port of this machine. */
export async function listen(
  listener: RequestListener,
  path = '/mcp',
  onClose?: () => Promise<void>,
): Promise<HttpServed> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      await onClose?.();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
