import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { defineClientSuite } from '../support/interop/client-suite.js';
import { serveOwnHttp, type OwnHttp } from '../support/interop/own-server.js';

describe.each(['legacy', 'modern'] as const)('our client and our server over HTTP, %s era', (era) => {
  let served: OwnHttp;
  beforeAll(async () => {
    served = await serveOwnHttp();
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
  });
  defineClientSuite({
    address: () => ({ url: served.url }),
    era,
    observed: () => served.observed,
    features: { era, streams: true, asks: true, changes: true },
  });
});

describe.each(['legacy', 'modern'] as const)('our client and our server over stdio, %s era', (era) => {
  const args = ['--import', 'tsx', join(ROOT, 'test', 'support', 'interop', 'own-stdio.ts')];
  defineClientSuite({
    address: () => ({ command: process.execPath, args }),
    era,
    features: { era, streams: true, asks: true, changes: true },
  });
});
