import { expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { requestsOf } from '../../test/support/remote-connector.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream, type UpstreamScript } from '../../test/support/scripted-upstream.js';
import { parseConnector } from '../connectors/index.js';
import { ANONYMOUS } from '../credentials/index.js';
import { silentLogger, systemClock, toAgentId } from '../kernel/index.js';
import { createUpstreamPool } from './upstream-pool.js';

const keep = closeAfterEach();
const ALICE = { principal: toAgentId('alice') };

async function setUp(script: UpstreamScript) {
  const upstream = keep(
    await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }], ...script }),
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
  const connector = parseConnector(
    'c',
    { url: upstream.url, isolation: 'shared' },
    { source: 'file', now: 0 },
  );
  return { upstream, heard, open: () => pool.open(connector, ANONYMOUS, ALICE) };
}

test('an upstream that tells of a changed list is heard', async () => {
  const changed = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;
  const { open, heard } = await setUp({
    capabilities: { tools: { listChanged: true } },
    intercept: ({ httpMethod }, response) => {
      if (httpMethod !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(changed);
      return true;
    },
  });
  (await open()).release();
  await until(() => heard.length > 0, 'the change');
  expect(heard[0]).toBe('c');
});

test('B21: log messages: the most talkative caller decides what is sent, each hears what it asked for', async () => {
  const log = (level: string) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } })}\n\n`;
  const { upstream, open } = await setUp({
    capabilities: { logging: {} },
    results: { 'logging/setLevel': () => ({}) },
    intercept: ({ rpc }, response) => {
      if (rpc.method !== 'tools/call') return false;
      const answer = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: { content: [] } });
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`${log('debug')}${log('error')}data: ${answer}\n\n`);
      return true;
    },
  });
  const hear = async (logLevel: 'debug' | 'error' | undefined): Promise<string[]> => {
    const levels: string[] = [];
    const lease = await open();
    await lease.upstream.callTool(
      't',
      {},
      { ...(logLevel && { logLevel }), onLog: ({ level }) => levels.push(level) },
    );
    lease.release();
    return levels;
  };
  expect(await hear('error')).toEqual(['error']);
  expect(await hear('debug')).toEqual(['debug', 'error']);
  expect(await hear('error')).toEqual(['error']);
  expect(requestsOf(upstream.seen, 'logging/setLevel').map(({ rpc }) => rpc.params?.['level'])).toEqual([
    'error',
    'debug',
  ]);
});
