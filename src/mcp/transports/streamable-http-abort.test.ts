import { describe, expect, test } from 'vitest';
import { idOf, json, SSE } from '../../../test/support/http/answers.js';
import { faultOf, host, open, outcomeOf, request, resultText } from '../../../test/support/http/open.js';
import { until } from '../../../test/support/http/until.js';

describe('aborting', () => {
  test('C22: closes the exchange', async () => {
    let closed = false;
    const server = await host((_seen, response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, SSE).write(': working\n\n');
    });
    const { transport, receiver } = await open(server.url);
    const controller = new AbortController();
    const sent = transport.send(request(1, 'tools/call', { signal: controller.signal }));
    await until(() => server.seen.length === 1, 'the request arrives');
    controller.abort();
    expect(await faultOf(sent)).toMatchObject({ code: 'ABORTED', mayHaveArrived: true });
    await until(() => closed, 'the stream is closed');
    expect(receiver.received).toEqual([]);
  });

  test('C22: by id, without a signal', async () => {
    let closed = 0;
    const server = await host((_seen, response) => void response.on('close', () => closed++));
    const { transport } = await open(server.url);
    const first = transport.send(request(1));
    const second = transport.send(request(2));
    await until(() => server.seen.length === 2, 'the requests arrive');
    transport.abort?.(1);
    transport.abort?.(17);
    expect(await faultOf(first)).toMatchObject({ code: 'ABORTED', mayHaveArrived: true });
    await until(() => closed === 1, 'its connection is closed');
    transport.abort?.(2);
    expect(await faultOf(second)).toMatchObject({ code: 'ABORTED' });
  });

  test('before it is sent', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    const { transport } = await open(server.url);
    const sent = transport.send(request(1, 'tools/call', { signal: AbortSignal.abort() }));
    expect(await faultOf(sent)).toMatchObject({ code: 'ABORTED', mayHaveArrived: false });
    expect(server.seen).toEqual([]);
  });

  test('while headers are being fetched', async () => {
    const server = await host((seen, response) => json(response, resultText(idOf(seen))));
    let provide: (headers: Record<string, string>) => void = () => {};
    const headers = (): Promise<Record<string, string>> => new Promise((resolve) => (provide = resolve));
    const { transport } = await open(server.url, { headers });
    const controller = new AbortController();
    const sent = transport.send(request(1, 'tools/call', { signal: controller.signal }));
    controller.abort();
    expect(await faultOf(sent)).toMatchObject({ code: 'ABORTED', mayHaveArrived: false });
    provide({});
    const second = transport.send(request(2));
    provide({});
    await second;
    expect(server.seen.map((seen) => idOf(seen))).toEqual([2]);
  });

  test('closing the transport ends what is under way', async () => {
    const server = await host(() => {});
    const { transport } = await open(server.url);
    const sent = [outcomeOf(transport.send(request(1))), outcomeOf(transport.send(request(2)))];
    await until(() => server.seen.length === 2, 'the requests arrive');
    await transport.close();
    expect(await Promise.all(sent)).toMatchObject([{ code: 'ABORTED' }, { code: 'ABORTED' }]);
  });
});
