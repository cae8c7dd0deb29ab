import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { connect } from '../../src/mcp/client/index.js';
import { defineClientSuite, type Target } from '../support/interop/client-suite.js';
import { serveV1Http, type V1Http } from '../support/interop/sdk-v1-server.js';
import { serveV2Http, serveV2Sessions, type V2Http } from '../support/interop/sdk-v2-server.js';

const info = { name: 'crosspoint-test', version: '1' };

/** Starts a server before the tests of a block and ends it after them. */
function running<Served extends AsyncDisposable>(start: () => Promise<Served>): () => Served {
  let served: Served | undefined;
  beforeAll(async () => {
    served = await start();
  });
  afterAll(async () => {
    await served?.[Symbol.asyncDispose]();
  });
  return () => served!;
}

function httpTarget(served: () => V1Http | V2Http, era: Target['era'], features: Target['features']): Target {
  return { address: () => ({ url: served().url }), era, observed: () => served().observed, features };
}

function stdioTarget(script: string, era: Target['era'], features: Target['features']): Target {
  const args = ['--import', 'tsx', join(ROOT, 'test', 'support', 'interop', script)];
  return { address: () => ({ command: process.execPath, args }), era, features };
}

describe('SDK v1 over HTTP with event streams', () => {
  const served = running(() => serveV1Http({ json: false }));
  defineClientSuite(httpTarget(served, 'auto', { era: 'legacy', streams: true, asks: true, changes: true }));
});

describe('SDK v1 over HTTP with JSON answers', () => {
  const served = running(() => serveV1Http({ json: true }));
  defineClientSuite(
    httpTarget(served, 'auto', { era: 'legacy', streams: false, asks: false, changes: true }),
  );
});

describe('SDK v1 over stdio', () => {
  defineClientSuite(
    stdioTarget('sdk-v1-stdio.ts', 'legacy', { era: 'legacy', streams: true, asks: true, changes: true }),
  );

  test('is recognised as legacy by a process that is then replaced', async () => {
    const { address } = stdioTarget('sdk-v1-stdio.ts', 'auto', {
      era: 'legacy',
      streams: true,
      asks: true,
      changes: true,
    });
    await using client = await connect({ info, ...address() });
    expect(client.server.era).toBe('legacy');
    expect((await client.listTools()).items.length).toBeGreaterThan(3);
  });
});

describe('SDK v2 over HTTP, modern era', () => {
  const served = running(() => serveV2Http({ legacy: 'reject' }));
  defineClientSuite(httpTarget(served, 'auto', { era: 'modern', streams: true, asks: true, changes: true }));
});

describe('SDK v2 over HTTP, legacy era without sessions', () => {
  const served = running(() => serveV2Http({ legacy: 'stateless' }));
  const target = httpTarget(served, 'legacy', { era: 'legacy', streams: true, asks: false, changes: false });
  // Every request has a server of its own there, so no cancellation can reach the one it is meant for.
  defineClientSuite({ address: target.address, era: target.era, features: target.features });
});

describe('SDK v2 over HTTP, legacy era with sessions', () => {
  const served = running(() => serveV2Sessions());
  defineClientSuite(
    httpTarget(served, 'legacy', { era: 'legacy', streams: true, asks: true, changes: false }),
  );
});

describe('SDK v2 over stdio', () => {
  describe('modern era', () => {
    defineClientSuite(
      stdioTarget('sdk-v2-stdio.ts', 'auto', { era: 'modern', streams: true, asks: true, changes: true }),
    );
  });
  describe('legacy era', () => {
    defineClientSuite(
      stdioTarget('sdk-v2-stdio.ts', 'legacy', { era: 'legacy', streams: true, asks: true, changes: false }),
    );
  });
});

describe('sessions that a server forgets', () => {
  test.each([404, 400] as const)(
    'C30, C31: with %i, lists go on, calls are reported and not repeated',
    async (forgotten) => {
      await using served = await serveV1Http({ json: false, forgotten });
      await using client = await connect({ info, era: 'legacy', url: served.url });
      served.forget();
      expect((await client.listTools()).items.length).toBeGreaterThan(3);
      served.forget();
      await expect(client.callTool('echo', { message: 'lost' })).rejects.toBeInstanceOf(Error);
      expect(await client.callTool('echo', { message: 'found' })).toMatchObject({
        structuredContent: { message: 'found' },
      });
    },
  );
});
