/** The worker's end of its conversation with the bench. */

export interface Order {
  readonly id: string;
  readonly name: string;
  readonly value?: unknown;
}

export interface Answer {
  readonly id: string;
  readonly value?: unknown;
  readonly error?: string;
}

type Orders = Readonly<Record<string, (value: never) => unknown>>;

/** Tells that the worker is ready, and takes orders until the bench lets go of it. */
export function takeOrders(started: unknown, orders: Orders): void {
  process.on('message', (message) => {
    const { id, name, value } = message as Order;
    const run = async (): Promise<unknown> => await orders[name]?.(value as never);
    run().then(
      (result) => answer({ id, value: result }),
      (error: unknown) => answer({ id, error: error instanceof Error ? (error.stack ?? '') : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
  answer({ id: 'start', value: started });
}

/** CPU time of this process so far, in microseconds. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function answer(message: Answer): void {
  // Who asked may be gone by now.
  process.send?.(message, () => {});
}
