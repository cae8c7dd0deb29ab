import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Logger } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { eventsOf, recordsOf } from '../support/hub-events.js';
import { requestsOf, startRemote, type RemoteOptions } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import type { SeenRequest } from '../support/scripted-upstream.js';

/** Remote connectors: validator, policy and event log around every call, and secrets that stay inside. */

const keep = closeAfterEach();
const start = (options?: RemoteOptions) => startRemote(keep, options);

describe('governance around a call', () => {
  const FORBID = 'forbid(principal, action == Action::"call", resource);';

  test('the intent is kept before the server hears of the call, the outcome after', async () => {
    const { upstream, hub, call } = await start();
    let atDispatch: readonly string[] = [];
    upstream.script = {
      ...upstream.script,
      call: async () => {
        const kept = await hub.running.hub.storage.events.query({ limit: 5, order: 'newest' });
        atDispatch = kept.map(({ event }) => event.type);
        return { content: [] };
      },
    };
    await call();
    expect(atDispatch).toContain('call.intended');
    expect(atDispatch).not.toContain('call.finished');
    const types = (await recordsOf(hub)).map(({ event }) => event.type);
    expect(types.slice(types.indexOf('call.intended'))).toEqual(['call.intended', 'call.finished']);
  });

  test('policy comes before validation, so nothing of the schema is told to whom it is denied', async () => {
    const { upstream, hub, call } = await start({
      config: { policies: ['deny.cedar'] },
      options: {
        files: {
          'deny.cedar': FORBID.replace(';', ' when { context has args && context.args.hasTag("a") };'),
        },
      },
    });
    expect(await call({ a: 'not a number' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^Policy denies this call/) as string }],
    });
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([
      { outcome: 'denied', error: 'policy_denied', policies: ['deny/1'] },
    ]);
    expect(await eventsOf(hub, 'call.intended')).toEqual([]);
  });

  test('a policy that cannot be evaluated is a denial', async () => {
    const overflows =
      'context has numbers && context.numbers.hasTag("a") && context.numbers.getTag("a") + 9223372036854775807 < 0';
    const { upstream, call } = await start({
      config: { policies: ['broken.cedar'] },
      options: { files: { 'broken.cedar': FORBID.replace(';', ` when { ${overflows} };`) } },
    });
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('failed to evaluate') as string }],
    });
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
  });

  test('arguments that do not fit never leave the hub, and the answer names the place', async () => {
    const { upstream, hub, call } = await start();
    expect(await call({ a: 1, b: 'two' })).toMatchObject({
      isError: true,
      content: [{ text: 'Invalid arguments: arguments.b: must be number' }],
    });
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([
      { outcome: 'invalid', error: 'arguments_invalid' },
    ]);
  });

  test('validation comes before the credential: a wrong call is told so, whoever has signed in', async () => {
    const connector = { auth: { type: 'bearer' }, credentialMode: 'per_agent' };
    const { hub, call } = await start({ connector, script: { protect: 'calls', tokens: ['t'] } });
    expect(await call({})).toMatchObject({
      content: [{ text: expect.stringMatching(/^Invalid arguments/) as string }],
    });
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('needs a credential of agent local') as string }],
    });
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([
      { outcome: 'failed', error: 'credential_required' },
    ]);
  });

  test("a tool's own failure is an outcome of its own", async () => {
    const { hub, call } = await start({
      script: { call: () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }) },
    });
    expect(await call()).toMatchObject({ isError: true });
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'tool_error' }]);
  });

  test('the log says who, what and when, never the arguments themselves', async () => {
    const { hub, call } = await start();
    await call({ a: 31_337, b: 2 });
    const [intended] = await recordsOf(hub, { type: 'call.intended' });
    expect(intended).toMatchObject({
      actor: { kind: 'agent', id: 'local' },
      event: {
        connector: 'remote',
        target: 'add',
        exposedName: 'remote__add',
        method: 'tools/call',
        policies: ['starter/1'],
      },
    });
    expect(intended?.at).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.stringify(intended)).not.toContain('31337');
  });
});

describe('static auth headers', () => {
  const CANARY = 'canary-8f1e2d3c4b5a';
  const CONNECTOR = {
    auth: { type: 'header', headers: { 'X-Token': CANARY, 'X-Tenant': '${env:TENANT}' } },
    credentialMode: 'shared',
  };
  const environment = { TENANT: `${CANARY}-tenant` };

  test('they are sent with every request, the handshake and the goodbye included', async () => {
    const { upstream, hub, call } = await start({
      connector: CONNECTOR,
      options: { environment },
      script: { intercept: refuseWithout('x-token', CANARY) },
    });
    await call();
    await hub.running.stop();
    await until(() => requestsOf(upstream.seen, 'DELETE').length > 0, 'the goodbye');
    const shown = upstream.seen.filter(
      ({ headers }) => headers['x-token'] === CANARY && headers['x-tenant'] === `${CANARY}-tenant`,
    );
    for (const method of ['initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'DELETE'])
      expect(requestsOf(shown, method).length, method).toBeGreaterThan(0);
  });

  test('they stand in no answer, no event, no log line and no file in plain', async () => {
    const lines: string[] = [];
    const { hub, call } = await start({
      connector: CONNECTOR,
      options: { environment, logger: collect(lines) },
    });
    await call();
    await admin(hub, 'PUT', '/connectors/remote/credentials/shared', {
      values: { 'X-Token': CANARY, 'X-Tenant': CANARY },
    });
    for (const path of [
      '/connectors',
      '/connectors/remote',
      '/connectors/remote/credentials/shared',
      '/events?limit=100',
      '/status',
    ]) {
      const { status, body } = await admin(hub, 'GET', path);
      expect(status, path).toBe(200);
      expect(JSON.stringify(body), path).not.toContain(CANARY);
    }
    expect(JSON.stringify((await admin(hub, 'GET', '/connectors/remote')).body)).toContain(
      `"set":true,"last4":"${CANARY.slice(-4)}"`,
    );
    expect(JSON.stringify(await recordsOf(hub))).not.toContain(CANARY);
    expect(lines.join('\n')).not.toContain(CANARY);
    await hub.running.stop();
    for (const file of filesOf(join(hub.folder, 'data')))
      expect(readFileSync(file).includes(CANARY), file).toBe(false);
  });
});

function refuseWithout(header: string, value: string) {
  return ({ headers, httpMethod }: SeenRequest, response: ServerResponse): boolean => {
    if (headers[header] === value || httpMethod === 'GET') return false;
    response.writeHead(401).end();
    return true;
  };
}

function collect(lines: string[]): Logger {
  const write = (fields: object, message: string): void => void lines.push(JSON.stringify(fields) + message);
  const logger: Logger = { debug: write, info: write, warn: write, error: write, child: () => logger };
  return logger;
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
