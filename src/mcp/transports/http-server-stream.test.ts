import { describe, expect, test } from 'vitest';
import { host, open, request, resultText } from '../../../test/support/http/open.js';
import type { Script, ScriptedServer } from '../../../test/support/http/scripted-server.js';
import { until } from '../../../test/support/http/until.js';

const SSE = { 'content-type': 'text/event-stream' };
const LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

const gets = (server: ScriptedServer) => server.seen.filter((seen) => seen.method === 'GET');

function withSession(get: Script): Script {
  let sessions = 0;
  return (seen, response, incoming) => {
    if (seen.method === 'GET') return get(seen, response, incoming);
    if (seen.method === 'DELETE') return void response.writeHead(200).end();
    const { id, method } = JSON.parse(seen.body);
    const session = method === 'initialize' ? { 'Mcp-Session-Id': `s-${++sessions}` } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...session }).end(resultText(id));
  };
}

async function initialized(get: Script, options: Parameters<typeof open>[1] = {}) {
  const server = await host(withSession(get));
  const opened = await open(server.url, options);
  await opened.transport.send(request(0, 'initialize'));
  opened.transport.setRevision('2025-11-25');
  opened.receiver.received.length = 0;
  return { server, ...opened };
}

const aWhile = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Timers that keep this process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;

describe('C7: the server stream', () => {
  test('is one GET, and its messages belong to no request', async () => {
    const { server, transport, receiver } = await initialized((_seen, response) => {
      response
        .writeHead(200, SSE)
        .write(`: hi\n\nid: 1\ndata: ${CHANGED}\n\ndata: {"jsonrpc":"2.0","id":"s","method":"ping"}\n\n`);
    });
    void transport.openServerStream();
    void transport.openServerStream();
    await until(() => receiver.received.length === 2, 'both messages arrive');
    expect(receiver.received.map(({ during }) => during)).toEqual([undefined, undefined]);
    expect(gets(server)).toHaveLength(1);
    expect(gets(server)[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-11-25',
    });
    expect(gets(server)[0]?.headers).not.toHaveProperty('last-event-id');
    expect(receiver.warnings).toEqual([]);
  });

  test.each<readonly [string, Script]>([
    ['opened', (_seen, response) => response.writeHead(200, SSE).flushHeaders()],
    ['refused', (_seen, response) => void response.writeHead(405).end()],
    ['out of order', (_seen, response) => void response.writeHead(503, { 'retry-after': '20' }).end()],
  ])('is ready as soon as it is %s', async (_name, answer) => {
    let asked = 0;
    const held: (() => void)[] = [];
    const { transport } = await initialized((...all) => {
      asked++;
      held.push(() => answer(...all));
    });
    let ready = false;
    const opening = transport.openServerStream()?.then(() => {
      ready = true;
    });
    await until(() => asked === 1, 'it is asked for');
    await aWhile(20);
    expect(ready).toBe(false);
    held[0]?.();
    await opening;
    expect(ready).toBe(true);
    await transport.close();
  });

  test('that nobody has opened is not waited for when all is over', async () => {
    const { transport } = await initialized(() => {});
    const opening = transport.openServerStream();
    await transport.close();
    await expect(opening).resolves.toBe(false);
  });

  test('keeps the process alive while it waits to be opened again, and no longer', async () => {
    const { transport, receiver } = await initialized(
      (_seen, response) => void response.writeHead(503, { 'retry-after': '20' }).end(),
    );
    void transport.openServerStream();
    await until(() => receiver.warnings.length === 1, 'the outage is noticed');
    // Compared within one turn: timers of others in this process come and go.
    const waiting = timers();
    const closed = transport.close();
    expect(timers()).toBe(waiting - 1);
    await closed;
  });

  test('that the server does not offer is not asked for again, and that is no fault', async () => {
    const { server, transport, receiver } = await initialized(
      (_seen, response) => void response.writeHead(405).end(),
    );
    void transport.openServerStream();
    await until(() => gets(server).length === 1, 'the GET arrives');
    // Each call is a round trip in which a second GET would have arrived.
    await transport.send(request(1));
    void transport.openServerStream();
    await transport.send(request(2));
    await transport.send(request(3));
    expect(gets(server)).toHaveLength(1);
    expect(receiver.warnings).toEqual([]);
  });

  test.each([400, 404, 406, 302])('refused with %i is a warning, and calls go on', async (status) => {
    const { server, transport, receiver } = await initialized(
      (_seen, response) => void response.writeHead(status).end(),
    );
    void transport.openServerStream();
    await until(() => receiver.warnings.length === 1, 'there is a warning');
    expect(receiver.warningCodes).toEqual(['server_stream_failed']);
    await transport.send(request(1));
    expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('s-1');
    expect(gets(server)).toHaveLength(1);
    expect(receiver.lostSessions).toBe(0);
  });

  test('that was open and is then not found tells that the session is lost', async () => {
    let opened = 0;
    const { server, transport, receiver } = await initialized((_seen, response) => {
      if (opened++ === 0) response.writeHead(200, SSE).end('retry: 10\n\n');
      else response.writeHead(404).end();
    });
    void transport.openServerStream();
    await until(() => receiver.lostSessions === 1, 'the loss is told');
    expect(gets(server)).toHaveLength(2);
  });

  test('that is none is a warning', async () => {
    const { server, transport, receiver } = await initialized(
      (_seen, response) => void response.end('hello'),
    );
    void transport.openServerStream();
    await until(() => receiver.warnings.length === 1, 'there is a warning');
    expect(gets(server)).toHaveLength(1);
  });

  test('comes back after it ended, with the last event id and after the time asked for', async () => {
    const { server, transport, receiver } = await initialized((seen, response) => {
      const last = Number(seen.headers['last-event-id'] ?? 0);
      response.writeHead(200, SSE);
      if (last < 2) response.end(`id: ${last + 1}\nretry: 150\ndata: ${CHANGED}\n\n`);
      else response.write(': quiet\n\n');
    });
    void transport.openServerStream();
    await until(() => gets(server).length === 3, 'the stream is opened three times');
    expect(gets(server).map((seen) => seen.headers['last-event-id'])).toEqual([undefined, '1', '2']);
    const [first, second] = gets(server);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(145);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.warnings).toEqual([]);
  });

  test('comes back after an outage, with one warning for it', async () => {
    let round = 0;
    const { transport, receiver } = await initialized((_seen, response) => {
      round++;
      if (round === 1) response.writeHead(200, SSE).end('id: 1\nretry: 1\ndata:\n\n');
      else if (round === 2) response.writeHead(503).end();
      else response.writeHead(200, SSE).write(`data: ${CHANGED}\n\n`);
    });
    void transport.openServerStream();
    await until(() => receiver.received.length === 1, 'the message arrives');
    expect(receiver.warningCodes).toEqual(['server_stream_failed']);
  });

  test('a server that asks for no pause does not get a storm', async () => {
    const { server, transport } = await initialized(
      (_seen, response) => void response.writeHead(200, SSE).end('retry: 0\n\n'),
    );
    void transport.openServerStream();
    await aWhile(700);
    expect(gets(server).length).toBeLessThanOrEqual(2);
  });

  test.each([
    [true, 41],
    [false, 1],
  ])('brings log messages only to who wants them: %s', async (isWanted, count) => {
    const { transport, receiver } = await initialized((_seen, response) => {
      response.writeHead(200, SSE).write(`${`data: ${LOG}\n\n`.repeat(40)}data: ${CHANGED}\n\n`);
    });
    receiver.ignoresLog = (during) => !isWanted && during === undefined;
    void transport.openServerStream();
    await until(() => receiver.received.length === count, 'all that is wanted arrives');
    expect(receiver.messages.at(-1)).toMatchObject({ method: 'notifications/tools/list_changed' });
  });

  test('that ends again and again after an event is soon opened again, wanted or not', async () => {
    const { server, transport, receiver } = await initialized(
      (_seen, response) => void response.writeHead(200, SSE).end(`retry: 0\n\ndata: ${LOG}\n\n`),
    );
    receiver.ignoresLog = () => true;
    void transport.openServerStream();
    await until(() => gets(server).length === 4, 'the stream is opened four times');
    expect(receiver.received).toEqual([]);
  });

  test('an event that is no message is a warning', async () => {
    const { transport, receiver } = await initialized((_seen, response) => {
      response
        .writeHead(200, SSE)
        .write(`data: {\n\ndata: {}\n\nevent: other\ndata: {\n\ndata: ${CHANGED}\n\n`);
    });
    void transport.openServerStream();
    await until(() => receiver.received.length === 1, 'the message arrives');
    expect(receiver.warningCodes).toEqual(['not_json', 'not_jsonrpc']);
  });

  test('too large an event ends the connection, not the stream', async () => {
    let round = 0;
    const { transport, receiver } = await initialized(
      (_seen, response) => {
        round++;
        if (round === 1) response.writeHead(200, SSE).write(`retry: 1\n\ndata: ${'x'.repeat(5000)}\n\n`);
        else response.writeHead(200, SSE).write(`data: ${CHANGED}\n\n`);
      },
      { limits: { responseBytes: 4000 } },
    );
    void transport.openServerStream();
    await until(() => receiver.received.length === 1, 'the message arrives');
    expect(receiver.warningCodes).toEqual(['server_stream_failed']);
  });

  test('a quiet one is replaced after its own time limit, not that of calls', async () => {
    const { server, transport, receiver } = await initialized(
      (_seen, response) => void response.writeHead(200, SSE).write('retry: 1\n\n'),
      {
        timeouts: { idleMs: 50, totalMs: 100, standingIdleMs: 400 },
      },
    );
    void transport.openServerStream();
    await until(() => gets(server).length === 2, 'the stream is opened again');
    const [first, second] = gets(server);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(390);
    expect(receiver.warnings).toEqual([]);
  });

  test('belongs to its session: a new one opens a new stream', async () => {
    const closed: string[] = [];
    const { server, transport } = await initialized((seen, response) => {
      response.on('close', () => closed.push(String(seen.headers['mcp-session-id'])));
      response.writeHead(200, SSE).write('id: 1\ndata:\n\n');
    });
    void transport.openServerStream();
    await until(() => gets(server).length === 1, 'the stream is opened');
    await transport.send(request(5, 'initialize'));
    await until(() => closed.length === 1, 'the old stream is closed');
    void transport.openServerStream();
    await until(() => gets(server).length === 2, 'the stream is opened again');
    expect(gets(server)[1]?.headers['mcp-session-id']).toBe('s-2');
    expect(gets(server)[1]?.headers).not.toHaveProperty('last-event-id');
    expect(closed).toEqual(['s-1']);
  });

  test('ends with the transport', async () => {
    let closed = false;
    const { server, transport, receiver } = await initialized((_seen, response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, SSE).write(': hi\n\n');
    });
    void transport.openServerStream();
    await until(() => gets(server).length === 1, 'the stream is opened');
    await transport.close();
    await until(() => closed, 'the stream is closed');
    void transport.openServerStream();
    await until(() => server.openConnections === 0, 'all connections are closed');
    expect(gets(server)).toHaveLength(1);
    expect(receiver.reasons).toEqual([]);
  });
});
