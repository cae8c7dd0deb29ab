import type { AddressInfo } from 'node:net';
import { createNodeServer, toNodeListener } from '../../../src/mcp/server/index.js';
import { withoutModernEra } from '../era-limits.js';
import { createEverydayServer, type Report } from './create-everyday-server.js';

export interface EverydayHttp {
  readonly url: string;
  report(): Report;
  close(): Promise<void>;
}

/** The everyday server in this process, on a free port. */
export async function startEverydayHttp(era: 'legacy' | 'modern', place: string): Promise<EverydayHttp> {
  const { server, report } = createEverydayServer(era, place);
  const listener = toNodeListener(server);
  const http = createNodeServer(era === 'legacy' ? withoutModernEra(listener) : listener);
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    report,
    async close() {
      await server.close(100);
      http.close();
      http.closeAllConnections();
    },
  };
}
