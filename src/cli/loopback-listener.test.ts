import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openLoopbackListener } from './loopback-listener.js';

const CONFIRMATION = 'c'.repeat(32);

test('what a browser brings is handed over, and the answer is shown', async () => {
  const listener = await openLoopbackListener();
  const page = fetch(`${listener.url}?confirmation=${CONFIRMATION}`);
  const { confirmation, answer } = await listener.brought;
  answer('Well <done>.');
  await listener.close();
  expect(confirmation).toBe(CONFIRMATION);
  expect(await (await page).text()).toContain('<p>Well &#60;done&#62;.</p>');
});

test('it closes although a browser keeps a connection in store, or asks twice', async () => {
  const listener = await openLoopbackListener();
  const { hostname, port } = new URL(listener.url);
  const spare = connect(Number(port), hostname);
  await once(spare, 'connect');
  const pages = [1, 2].map(() => fetch(`${listener.url}?confirmation=${CONFIRMATION}`));
  const { answer } = await listener.brought;
  answer('Done.');
  expect((await Promise.any(pages)).status).toBe(200);
  await listener.close();
  await Promise.allSettled(pages);
});

test('a request for something that is no address does not end it', async () => {
  const listener = await openLoopbackListener();
  const { hostname, port } = new URL(listener.url);
  const stranger = connect(Number(port), hostname);
  stranger.end('GET // HTTP/1.1\r\nHost: x\r\n\r\n');
  const [answer] = await once(stranger.setEncoding('utf8'), 'data');
  await listener.close();
  expect(answer).toMatch(/^HTTP\/1.1 404 /);
});
