import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

const keep = closeAfterEach();

test('a question that the upstream takes back is taken back from the client that is being asked', async () => {
  let stream: ServerResponse | undefined;
  const upstream = keep(
    await startUpstream({
      revision: '2025-11-25',
      tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
      call: (_name, _args, _request, response) => {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        const params = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
        send({ id: 'q1', method: 'elicitation/create', params });
        return undefined;
      },
    }),
  );
  const send = (message: object) =>
    stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  let state = 'not asked';
  const client = keep(
    await connectAgent(hub, {
      era: 'legacy',
      handlers: {
        elicitation: (_question, { signal }) => {
          state = 'asked';
          signal.addEventListener('abort', () => (state = 'withdrawn'));
          return new Promise(() => {});
        },
      },
    }),
  );
  const call = client.callTool('up__ask', {});
  await expect.poll(() => state).toBe('asked');
  send({ method: 'notifications/cancelled', params: { requestId: 'q1' } });
  await expect.poll(() => state).toBe('withdrawn');
  const { id } = upstream.seen.find(({ rpc }) => rpc.method === 'tools/call')?.rpc ?? {};
  send({ id, result: { content: [{ type: 'text', text: 'done without' }] } });
  stream?.end();
  expect(await call).toMatchObject({ content: [{ text: 'done without' }] });
  // Nobody refused anything, and nothing was answered.
  expect(await eventsOf(hub, 'question.refused')).toEqual([]);
  expect(upstream.seen.filter(({ rpc }) => rpc.id === 'q1')).toEqual([]);
});
