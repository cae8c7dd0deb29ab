import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream } from '../../test/support/scripted-upstream.js';
import { parseConnector } from '../connectors/index.js';
import { ANONYMOUS } from '../credentials/index.js';
import { silentLogger, systemClock, toAgentId } from '../kernel/index.js';
import { createUpstreamPool } from './upstream-pool.js';

const keep = closeAfterEach();
const ALICE = toAgentId('alice');
const BOB = toAgentId('bob');
const CHANGED = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;

test('when the conversation that hears of changes ends, another one that stands hears of them', async () => {
  const streams: ServerResponse[] = [];
  const upstream = keep(
    await startUpstream({
      capabilities: { tools: { listChanged: true } },
      intercept({ httpMethod }, response) {
        if (httpMethod !== 'GET') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
        streams.push(response);
        return true;
      },
    }),
  );
  const heard: string[] = [];
  const pool = keep(
    createUpstreamPool({
      info: { name: 'hub', version: '1' },
      clock: systemClock,
      logger: silentLogger,
      onListChanged: (id) => heard.push(id),
    }),
  );
  const input = { url: upstream.url, isolation: 'per_principal' };
  const connector = parseConnector('c', input, { source: 'file', now: 0 });
  for (const principal of [ALICE, BOB]) (await pool.open(connector, ANONYMOUS, { principal })).release();
  await until(() => streams.length === 2, 'the streams of both');
  for (const stream of streams) stream.write(CHANGED);
  await until(() => heard.length > 0, 'the change');
  expect(heard).toEqual(['c']);

  pool.endAllOf(ALICE);
  await until(() => streams[0]?.destroyed === true, 'the end of the first');
  streams[1]?.write(CHANGED);
  await until(() => heard.length > 1, 'the second change');
});
