import { expect, test } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { requestsOf } from '../../test/support/remote-connector.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream } from '../../test/support/scripted-upstream.js';
import { parseConnector, type Connector } from '../connectors/index.js';
import { ANONYMOUS } from '../credentials/index.js';
import { silentLogger, systemClock, toAgentId } from '../kernel/index.js';
import { createUpstreamPool } from './upstream-pool.js';

const keep = closeAfterEach();

/** Calls are answered in the order in which they came, each when `answer` is called. */
async function setUp() {
  const gates: (() => void)[] = [];
  const call = async () => {
    await new Promise<void>((resolve) => void gates.push(resolve));
    return { content: [{ type: 'text', text: 'done' }] };
  };
  const upstream = keep(await startUpstream({ call }));
  const pool = keep(
    createUpstreamPool({
      info: { name: 'hub', version: '1' },
      clock: systemClock,
      logger: silentLogger,
      onListChanged: () => {},
    }),
  );
  const version = (concurrency: number): Connector =>
    parseConnector('c', { url: upstream.url, limits: { concurrency } }, { source: 'file', now: concurrency });
  const begin = async (connector: Connector) => {
    const before = requestsOf(upstream.seen, 'tools/call').length;
    const lease = await pool.open(connector, ANONYMOUS, { principal: toAgentId('alice') });
    const result = lease.upstream.callTool('t', {}, {}).finally(() => lease.release());
    result.catch(() => {});
    await until(() => requestsOf(upstream.seen, 'tools/call').length > before, 'the call');
    return { result };
  };
  const count = (method: string): number => requestsOf(upstream.seen, method).length;
  return { pool, version, begin, count, answer: () => gates.shift()?.() };
}

const DONE = { content: [{ type: 'text', text: 'done' }] };

test('a call goes on in the conversation it began in while its connector becomes another one', async () => {
  const { pool, version, begin, count, answer } = await setUp();
  const first = await begin(version(1));
  pool.retire('c');
  const second = await begin(version(2));
  expect([count('initialize'), count('DELETE')]).toEqual([2, 0]);
  answer();
  expect(await first.result).toMatchObject(DONE);
  await until(() => count('DELETE') === 1, 'the end of the conversation of before');
  answer();
  expect(await second.result).toMatchObject(DONE);
  expect(pool.stateOf(version(2).id).conversations).toBe(1);
});

test('so it does where another use of it shows first that it changed', async () => {
  const { version, begin, answer } = await setUp();
  const first = await begin(version(1));
  const second = await begin(version(2));
  answer();
  expect(await first.result).toMatchObject(DONE);
  answer();
  expect(await second.result).toMatchObject(DONE);
});

test('a connector that is removed after it was changed ends what went on under it', async () => {
  const { pool, version, begin } = await setUp();
  const first = await begin(version(1));
  pool.retire('c');
  await pool.drop('c');
  await expect(first.result).rejects.toMatchObject({ code: 'upstream_closed' });
});

test('a pool that is closed ends what went on under a connector that was changed and not used since', async () => {
  const { pool, version, begin } = await setUp();
  const first = await begin(version(1));
  pool.retire('c');
  await pool.close();
  await expect(first.result).rejects.toMatchObject({ code: 'upstream_closed' });
});
