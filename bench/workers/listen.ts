import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpuMicros, takeOrders } from './orders.js';

/** Serves on a free port of the loopback interface until the bench lets go. */
export function listenForBench(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    takeOrders(`http://127.0.0.1:${port}/mcp`, { cpu: cpuMicros });
  });
}
