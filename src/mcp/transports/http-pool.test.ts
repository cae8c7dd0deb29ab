import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Agent, Pool } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { faultOf, host, open, request, resultText } from '../../../test/support/http/open.js';
import { serve } from '../../../test/support/http/scripted-server.js';
import { selfSigned } from '../../../test/support/http/self-signed.js';
import { until } from '../../../test/support/http/until.js';
import { TransportError } from './transport.js';

const answering = (
  seen: { readonly body: string },
  response: { end(text: string): unknown; setHeader(n: string, v: string): unknown },
): void => {
  response.setHeader('content-type', 'application/json');
  response.end(seen.body === '' ? '' : resultText(JSON.parse(seen.body).id));
};

describe('connecting', () => {
  test('nobody listens', async () => {
    const server = await serve(answering);
    await server.close();
    const { transport } = await open(server.url);
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'CONNECT_FAILED',
      mayHaveArrived: false,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  test('the name does not exist', async () => {
    const { transport } = await open(new URL('http://nowhere.invalid/mcp'));
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'CONNECT_FAILED',
      mayHaveArrived: false,
    });
  });

  test('no connection in time', async () => {
    const dispatcher = new Pool('http://127.0.0.1:9', { connect: () => {} });
    onTestFinished(() => dispatcher.destroy());
    const { transport } = await open(new URL('http://127.0.0.1:9/mcp'), {
      dispatcher,
      timeouts: { connectMs: 100 },
    });
    const start = performance.now();
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'TIMEOUT_CONNECT',
      mayHaveArrived: false,
    });
    expect(performance.now() - start).toBeGreaterThanOrEqual(95);
  });

  test('a connection that comes too late carries nothing', async () => {
    const server = await host(answering);
    let connected = 0;
    const dispatcher = new Pool(server.url.origin, {
      connect: (_options, callback) => {
        setTimeout(() => {
          const socket = connect(Number(server.url.port), '127.0.0.1', () => {
            connected++;
            callback(null, socket);
          });
        }, 150);
      },
    });
    onTestFinished(() => dispatcher.destroy());
    const { transport } = await open(server.url, { dispatcher, timeouts: { connectMs: 50 } });
    expect((await faultOf(transport.send(request(1)))).code).toBe('TIMEOUT_CONNECT');
    await until(() => connected === 1 && server.openConnections === 0, 'the connection is made and dropped');
    expect(server.seen).toEqual([]);
  });

  test('a guard in the dispatcher refuses in its own words', async () => {
    const refusal = new TransportError('EGRESS_DENIED', 'the address is not allowed', {
      mayHaveArrived: false,
    });
    const dispatcher = new Agent({ connect: (_options, callback) => callback(refusal, null) });
    onTestFinished(() => dispatcher.destroy());
    const { transport } = await open(new URL('http://10.0.0.1/mcp'), { dispatcher });
    expect(await faultOf(transport.send(request(1)))).toBe(refusal);
  });

  test('a dispatcher that was passed in stays open', async () => {
    const server = await host(answering);
    const dispatcher = new Agent();
    onTestFinished(() => dispatcher.destroy());
    const { transport } = await open(server.url, { dispatcher });
    await transport.send(request(1));
    await transport.close();
    const again = await open(server.url, { dispatcher });
    await again.transport.send(request(2));
    expect(again.receiver.messages).toHaveLength(1);
  });
});

describe('TLS', () => {
  async function secure() {
    const { key, cert } = selfSigned();
    const server = await serve(answering, createHttpsServer({ key, cert }));
    onTestFinished(() => server.close());
    const url = new URL(server.url);
    url.protocol = 'https:';
    return { server, url, cert };
  }

  test('an unknown authority is refused', async () => {
    const { server, url } = await secure();
    const { transport } = await open(url);
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'CONNECT_FAILED',
      mayHaveArrived: false,
      cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(server.seen).toEqual([]);
  });

  test('an authority that was named is trusted', async () => {
    const { url, cert } = await secure();
    const { transport, receiver } = await open(url, { tls: { ca: cert } });
    await transport.send(request(1));
    expect(receiver.messages).toHaveLength(1);
  });

  test('another name is refused, whoever vouches for it', async () => {
    const { url, cert } = await secure();
    url.hostname = 'localhost';
    const { transport } = await open(url, { tls: { ca: cert } });
    expect((await faultOf(transport.send(request(1)))).code).toBe('CONNECT_FAILED');
  });
});

describe('proxies', () => {
  /** Tunnels to wherever it is asked to, and counts. */
  async function proxy(status = 200) {
    const tunnels: string[] = [];
    const sockets = new Set<Socket>();
    const server = createServer();
    server.on('connect', (incoming, client: Socket) => {
      tunnels.push(String(incoming.url));
      sockets.add(client);
      client.on('error', () => {});
      if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      const [hostname, port] = String(incoming.url).split(':');
      const upstream = connect(Number(port), hostname, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      sockets.add(upstream);
      upstream.on('error', () => {});
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tunnels };
  }

  test('of the environment is used', async () => {
    const server = await host(answering);
    const { url, tunnels } = await proxy();
    const { transport, receiver } = await open(server.url, { environment: { HTTP_PROXY: url } });
    await transport.send(request(1));
    expect(receiver.messages).toHaveLength(1);
    expect(tunnels).toEqual([server.url.host]);
    expect(server.seen[0]?.headers.host).toBe(server.url.host);
  });

  test('is left out where the environment says so', async () => {
    const server = await host(answering);
    const { url, tunnels } = await proxy();
    const { transport } = await open(server.url, { environment: { http_proxy: url, NO_PROXY: '127.0.0.1' } });
    await transport.send(request(1));
    expect(tunnels).toEqual([]);
  });

  test('that refuses is a connection that failed', async () => {
    const server = await host(answering);
    const { url } = await proxy(403);
    const { transport } = await open(server.url, { environment: { HTTP_PROXY: url } });
    expect(await faultOf(transport.send(request(1)))).toMatchObject({
      code: 'CONNECT_FAILED',
      mayHaveArrived: false,
    });
    expect(server.seen).toEqual([]);
  });
});
