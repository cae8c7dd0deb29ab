import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Where requests go, one after another. May change at any time. */
  targets: readonly string[];
  close(): Promise<void>;
}

/**
 * Gives each request to the next target, whoever sends it. One that is not there, or says that it takes no more, is passed
 * over: nothing was done there yet.
 */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const balancer = { url: '', targets, close: async () => {} };
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), balancer.targets.length));
  });

  function pass(incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void {
    const target = balancer.targets[next++ % balancer.targets.length] ?? '';
    const { method, headers, url } = incoming;
    const onward = send(new URL(url ?? '/', target), { method, headers, agent: false }, (answer) => {
      if (answer.statusCode === 503 && tries > 1) {
        answer.resume();
        pass(incoming, outgoing, body, tries - 1);
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries > 1) pass(incoming, outgoing, body, tries - 1);
      else if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  balancer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  balancer.close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return balancer;
}
