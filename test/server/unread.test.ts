import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../support/http/until.js';
import { FRONTS, LiveServer, LiveServers, rawCall, rawPost } from '../support/server/live-server.js';

/** More than the buffers of two sockets hold. */
const LONG = { content: [{ type: 'text', text: 'x'.repeat(12_000_000) }] };

describe.each(FRONTS)('an answer, by $way', (front) => {
  const servers = new LiveServers();
  servers.fastFront = front.fastFront;
  afterEach(() => servers.close());

  test('that nobody takes ends with its connection', async () => {
    const live = await servers.open({ http: { unreadMs: 300 }, call: () => LONG });
    const connection = live.connect();
    connection.socket.pause();
    connection.write(rawCall(1));
    let isOver = false;
    live.http.once('connection', (socket) => socket.once('close', () => (isOver = true)));
    await until(() => isOver, 'its end', 10_000);
    expect(live.events).toEqual([]);
  });

  test.each(['with its request', 'while it reads'])(
    'is whole for a slow client that closes its side %s',
    async (when) => {
      const live = await servers.open({ call: () => LONG });
      const socket = connect({ port: live.port, host: '127.0.0.1', allowHalfOpen: true });
      onTestFinished(() => void socket.destroy());
      let received = 0;
      let isOver = false;
      socket.on('error', () => {});
      socket.on('end', () => (isOver = true));
      socket.on('data', (bytes) => {
        if (received === 0 && when === 'while it reads') socket.end();
        received += bytes.length;
        socket.pause();
        setTimeout(() => socket.resume(), 3);
      });
      if (when === 'while it reads') socket.write(rawCall(1));
      else socket.end(rawCall(1));
      await until(() => isOver || received > 12_000_000, 'the answer', 20_000);
      expect(received).toBeGreaterThan(12_000_000);
    },
  );

  test('H-39: that says that a connection was silent too long is true of what crosses with it', async () => {
    let calls = 0;
    const call = () => {
      calls++;
      return { content: [] };
    };
    const live = await servers.open({ call, http: { keepAliveMs: 100, keepAliveGraceMs: 0 } });
    const socket = connect({ port: live.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let received = '';
    const faults: Error[] = [];
    socket.on('error', (error) => faults.push(error));
    socket.on('data', (bytes) => (received += bytes.toString('latin1')));
    // Read by node:http in any case, as everything that follows it.
    socket.write(rawPost('{}').replace('/mcp', '/mcp?x'));
    await until(() => received.includes(' 408 '), 'the end', 5_000);
    socket.write(rawCall(1));
    await sleep(100);
    expect([calls, faults]).toEqual([0, []]);
  });
});

/** By `node:http` they run side by side, and it sees to that itself. */
test('an answer that is not read lets no further ones pile up', async () => {
  let begun = 0;
  const live = await LiveServer.open({
    call: async () => {
      // The next one comes while this is worked on.
      connection.write(rawCall(++begun));
      await sleep(30);
      return { content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] };
    },
  });
  onTestFinished(() => live.close());
  const connection = live.connect();
  connection.socket.pause();
  connection.write(rawCall(0));
  await sleep(2_000);
  expect(begun).toBeLessThan(20);
  // Who reads after all gets every one of them.
  connection.socket.resume();
  await until(() => begun > 25, 'further ones');
});
