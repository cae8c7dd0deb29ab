import { describe, expect, test } from 'vitest';
import { toConnectorId } from '../../src/kernel/index.js';
import { connectAgent } from '../support/agent-client.js';
import { QUERY, startCorporate } from '../support/corporate.js';
import { freePort } from '../support/free-port.js';
import { serve } from '../support/http/scripted-server.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** A registry of servers: whether they live, and what follows from it. */

const keep = closeAfterEach();
const start = (script?: UpstreamScript, more?: Record<string, string>) => startCorporate(keep, script, more);
const CORPORATE = toConnectorId('corporate');

async function healthOf(hub: TestHub) {
  return hub.running.hub.health.healthOf(await hub.running.hub.connectors.require(CORPORATE));
}

describe('health', () => {
  const FAST = { MCP_HEALTH_CHECK_INTERVAL: '0.1' };

  test.each([
    ['400 with a session id', 400, { 'mcp-session-id': 'a-session' }],
    ['401', 401, {}],
    ['404', 404, {}],
    ['405', 405, {}],
    ['406', 406, {}],
  ])('D8: a GET that is answered with %s means alive', async (_name, status, headers) => {
    const { hub } = await start({
      intercept: ({ httpMethod }, response) =>
        httpMethod === 'GET' && response.writeHead(status, headers).end() !== undefined,
    });
    await waitForSync(hub, 'corporate');
    const connector = await hub.running.hub.connectors.require(CORPORATE);
    expect(await hub.running.hub.health.check(connector)).toMatchObject({
      state: 'healthy',
      reason: undefined,
    });
  });

  test.each<readonly [string, number, string, string, RegExp]>([
    ['is at another path', 404, 'application/json', '{"detail":"Not Found"}', /HTTP 404/],
    ['wants another way of asking', 406, 'text/plain', 'Not Acceptable', /HTTP 406/],
    ['has moved', 301, 'text/plain', '', /redirect/i],
    ['is a page', 200, 'text/html', '<html></html>', /not MCP/],
  ])(
    'D8: one that lives and %s is unhealthy until it lists its tools',
    async (_, status, type, body, why) => {
      let isWrong = true;
      const { hub } = await start({
        intercept: (_request, response) =>
          isWrong && response.writeHead(status, { 'content-type': type }).end(body) !== undefined,
      });
      await until(() => hub.running.hub.health.historyOf(CORPORATE).length > 0, 'a state');
      const connector = await hub.running.hub.connectors.require(CORPORATE);
      const reason = expect.stringMatching(why) as string;
      expect(await hub.running.hub.health.check(connector)).toMatchObject({ state: 'unhealthy', reason });
      isWrong = false;
      await hub.running.hub.syncConnector({ connector: CORPORATE, actor: { kind: 'admin', id: 'admin' } });
      expect(await healthOf(hub)).toMatchObject({ state: 'healthy', reason: undefined });
      expect(await eventsOf(hub, 'connector.health')).toMatchObject([
        { from: 'unknown', to: 'unhealthy', reason },
        { from: 'unhealthy', to: 'healthy' },
      ]);
    },
  );

  test.each([401, 403])('one that wants somebody to sign in (%i) is healthy', async (status) => {
    const { hub } = await start({
      intercept: (_request, response) => response.writeHead(status).end() !== undefined,
    });
    await until(() => hub.running.hub.health.historyOf(CORPORATE).length > 0, 'a state');
    expect(await healthOf(hub)).toMatchObject({ state: 'healthy' });
  });

  test('unknown, healthy, unhealthy with a reason, and back by itself', async () => {
    let alive = true;
    const { hub } = await start(
      { intercept: (_request, response) => !alive && response.writeHead(503).end() !== undefined },
      FAST,
    );
    expect(['unknown', 'healthy']).toContain((await healthOf(hub)).state);
    await waitForSync(hub, 'corporate');
    const states = () =>
      hub.running.hub.health
        .historyOf(CORPORATE)
        .map(({ state }) => state)
        .toReversed();
    await until(() => states().includes('healthy'), 'healthy');
    alive = false;
    await until(() => states().at(-1) === 'unhealthy', 'unhealthy');
    const unhealthy = await healthOf(hub);
    expect(unhealthy).toMatchObject({
      state: 'unhealthy',
      reason: 'connector corporate: answered with HTTP 503',
    });
    expect(Date.now() - unhealthy.since).toBeLessThan(5_000);
    alive = true;
    await until(() => states().at(-1) === 'healthy', 'recovery');
    expect(await eventsOf(hub, 'connector.health')).toMatchObject([
      { from: 'unknown', to: 'healthy' },
      { from: 'healthy', to: 'unhealthy' },
      { from: 'unhealthy', to: 'healthy' },
    ]);
  });

  test.each([true, false])('tools of an unhealthy server are hidden: %s', async (hideWhenUnhealthy) => {
    let alive = true;
    const upstream = keep(
      await startUpstream({
        tools: [QUERY],
        intercept: (_request, response) => !alive && response.writeHead(503).end() !== undefined,
      }),
    );
    const hub = keep(
      await startTestHub({
        config: {
          connectors: { corporate: { url: upstream.url, hideWhenUnhealthy } },
          health: { intervalMs: 100 },
        },
      }),
    );
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    alive = false;
    await until(() => hub.running.hub.health.historyOf(CORPORATE)[0]?.state === 'unhealthy', 'unhealthy');
    expect((await client.listTools()).items).toHaveLength(hideWhenUnhealthy ? 0 : 1);
    alive = true;
    await until(() => hub.running.hub.health.historyOf(CORPORATE)[0]?.state === 'healthy', 'recovery');
    expect((await client.listTools()).items).toHaveLength(1);
  });

  test('a server that was down when the hub started is discovered when it comes up', async () => {
    const port = await freePort();
    const hub = keep(
      await startTestHub({
        config: {},
        environment: { MCP_SERVER_LATE_URL: `http://127.0.0.1:${port}/mcp`, ...FAST },
      }),
    );
    const late = toConnectorId('late');
    await until(() => hub.running.hub.health.historyOf(late)[0]?.state === 'unhealthy', 'unhealthy');
    keep(await startUpstream({ tools: [QUERY] }, port));
    await waitForSync(hub, 'late');
    expect(hub.running.hub.catalog.snapshotOf(late)?.tools).toHaveLength(1);
  });

  test('a server that never answers is unhealthy after the limit', async () => {
    const silent = keep(await serve(() => {}));
    const hub = keep(
      await startTestHub({
        config: {
          connectors: { corporate: { url: silent.url.href } },
          health: { timeoutMs: 200 },
        },
      }),
    );
    const connector = await hub.running.hub.connectors.require(CORPORATE);
    expect(await hub.running.hub.health.check(connector)).toMatchObject({
      state: 'unhealthy',
      reason: expect.stringContaining('did not answer in time') as string,
    });
  });
});
