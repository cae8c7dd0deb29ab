import { expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { requestsOf } from '../../test/support/remote-connector.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream } from '../../test/support/scripted-upstream.js';
import { parseConnector } from '../connectors/index.js';
import { ANONYMOUS } from '../credentials/index.js';
import { silentLogger, systemClock, toAgentId } from '../kernel/index.js';
import type { Caller } from './upstream.js';
import { createUpstreamPool } from './upstream-pool.js';

const keep = closeAfterEach();
const ALICE = toAgentId('alice');
const BOB = toAgentId('bob');

async function setUp() {
  const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
  const info = { name: 'hub', version: '1' };
  const pool = keep(createUpstreamPool({ info, clock: systemClock, logger: silentLogger }));
  const connector = parseConnector(
    'c',
    { url: upstream.url, isolation: 'per_session' },
    { source: 'file', now: 0 },
  );
  const open = async (caller: Caller) => pool.open(connector, ANONYMOUS, caller);
  return { upstream, pool, connector, open, goodbyes: () => requestsOf(upstream.seen, 'DELETE').length };
}

test('for whoever gave up before its turn came nothing is begun', async () => {
  const { upstream, pool, connector, open } = await setUp();
  const gone: Caller[] = [
    { principal: ALICE, session: '1', onAbort: (listener) => listener() },
    { principal: ALICE, session: '1', signal: AbortSignal.abort() },
  ];
  for (const caller of gone) await expect(open(caller)).rejects.toMatchObject({ code: 'cancelled' });
  expect(upstream.seen).toEqual([]);
  expect(pool.stateOf(connector.id)).toMatchObject({ running: 0, conversations: 0, failures: 0 });
});

test('a conversation ends with its session or its agent and nobody else’s; whoever is in it finishes first', async () => {
  const { upstream, pool, open, goodbyes } = await setUp();
  for (const principal of [ALICE, BOB]) (await open({ principal, session: '1' })).release();
  const lease = await open({ principal: ALICE, session: '2' });
  expect(pool.owners()).toEqual(new Set([ALICE, BOB]));
  pool.endAllOf(ALICE, '1');
  await until(() => goodbyes() === 1, 'the goodbye of a session');
  pool.endAllOf(ALICE);
  expect(pool.owners()).toEqual(new Set([BOB]));
  expect(await lease.upstream.callTool('t', {}, {})).toMatchObject({ content: [{ type: 'text' }] });
  expect(goodbyes()).toBe(1);
  lease.release();
  await until(() => goodbyes() === 2, 'the goodbye of an agent');
  (await open({ principal: BOB, session: '1' })).release();
  expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(3);
});
