import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/http/until.js';
import { LiveServer, rawCall } from '../support/server/live-server.js';

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
