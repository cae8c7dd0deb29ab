import { expect, test } from 'vitest';

import { Recorder, until } from '../../../test/support/stdio/recorder.js';
import { createMemoryPair } from './memory.js';
import type { TransportError } from './transport.js';

const note = (method: string) => `{"jsonrpc":"2.0","method":"${method}"}`;
const outgoing = (method: string) => ({ text: note(method), method });

async function openPair() {
  const { client, server } = createMemoryPair();
  const heard = new Recorder();
  await client.start(heard);
  const texts: string[] = [];
  const endings: (TransportError | undefined)[] = [];
  server.onMessage((text) => texts.push(text));
  server.onClose((reason) => endings.push(reason));
  return { client, server, heard, texts, endings };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('messages arrive in order, later than the call that sends them', async () => {
  const { client, server, heard, texts } = await openPair();
  void client.send(outgoing('a'));
  void server.send(note('x'));
  void client.send(outgoing('b'));
  void server.send(note('y'));
  expect([texts, heard.methods]).toEqual([[], []]);
  await settled();
  expect(texts).toEqual([note('a'), note('b')]);
  expect(heard.methods).toEqual(['x', 'y']);
});

test('an answer sent from within a handler arrives', async () => {
  const { client, server } = createMemoryPair();
  const heard = new Recorder();
  server.onMessage((text) => {
    const { id } = JSON.parse(text) as { id: number };
    void server.send(`{"jsonrpc":"2.0","id":${id},"result":{"deep":{"text":"ü"}}}`);
  });
  await client.start(heard);
  for (let id = 1; id <= 100; id++) {
    await client.send({ text: `{"jsonrpc":"2.0","id":${id},"method":"ping"}`, method: 'ping', id });
  }
  expect(await heard.answer(100)).toEqual({ deep: { text: 'ü' } });
  expect(heard.messages.map((message) => ('id' in message ? message.id : 0))).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
});

test('what is sent before the other end listens is kept', async () => {
  const { client, server } = createMemoryPair();
  await server.send(note('early'));
  const heard = new Recorder();
  await client.start(heard);
  await client.send(outgoing('first'));
  await settled();
  const texts: string[] = [];
  server.onMessage((text) => texts.push(text));
  await until(() => texts.length === 1 && heard.messages.length === 1, 'both');
  expect([texts, heard.methods]).toEqual([[note('first')], ['early']]);
});

test('what is no message is skipped and mentioned', async () => {
  const { server, heard } = await openPair();
  void server.send('{"oops"');
  void server.send('{"jsonrpc":"2.0"}');
  void server.send(note('fine'));
  await settled();
  expect(heard.methods).toEqual(['fine']);
  expect(heard.warnings.map((warning) => warning.code)).toEqual(['not_json', 'not_jsonrpc']);
});

test('when the client leaves, the server hears what was sent, then the end, once', async () => {
  const { client, server, heard, texts, endings } = await openPair();
  void client.send(outgoing('bye'));
  await Promise.all([client.close(), client.close()]);
  await settled();
  expect([texts, endings]).toEqual([[note('bye')], [undefined]]);
  expect(heard.endings).toEqual([]);
  await expect(server.send(note('late'))).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    mayHaveArrived: false,
  });
  await expect(client.send(outgoing('late'))).rejects.toMatchObject({ mayHaveArrived: false });
  await server.close();
});

test('when the server leaves, the client hears what was sent, then the end, once', async () => {
  const { client, server, heard, endings } = await openPair();
  void server.send(note('bye'));
  await Promise.all([server.close(), server.close()]);
  await settled();
  expect(heard.methods).toEqual(['bye']);
  expect(heard.endings.map((error) => error.code)).toEqual(['CONNECTION_CLOSED']);
  expect(endings).toEqual([]);
  await expect(client.send(outgoing('late'))).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await client.close();
});

test('nothing is delivered after close, not even what was under way', async () => {
  const { client, server, heard, texts } = await openPair();
  void server.send(note('x'));
  await client.close();
  await settled();
  expect(heard.messages).toEqual([]);
  const other = await openPair();
  void other.client.send(outgoing('x'));
  await other.server.close();
  await settled();
  expect([texts, other.texts]).toEqual([[], []]);
});

test('closing from within a handler stops the delivery', async () => {
  const { client, server } = createMemoryPair();
  const texts: string[] = [];
  await client.start(new Recorder());
  server.onMessage((text) => {
    texts.push(text);
    void server.close();
  });
  void client.send(outgoing('a'));
  void client.send(outgoing('b'));
  await settled();
  expect(texts).toEqual([note('a')]);
});

test('an aborted message is not sent; a pair starts once', async () => {
  const { client, texts } = await openPair();
  const sending = client.send({ ...outgoing('a'), signal: AbortSignal.abort() });
  await expect(sending).rejects.toMatchObject({ code: 'ABORTED', mayHaveArrived: false });
  await settled();
  expect(texts).toEqual([]);
  await expect(client.start(new Recorder())).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
});
