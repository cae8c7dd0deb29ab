import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorize, callWith, claimsOf, register, registeredClient, signIn } from '../support/oauth-client.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub();
  await waitForSync(hub, 'sample');
});
afterAll(() => hub?.close());

describe('the whole way', () => {
  test('a client', async () => {
    const m = await fetch(`${hub.url}/.well-known/oauth-authorization-server`);
    console.log(m.status, await m.text());
    console.log(await register(hub));
    const browser = await signIn(hub, hub.localKey);
    const tokens = await authorize(hub, browser, { clientId: await registeredClient(hub) });
    console.log(tokens, claimsOf(tokens.access_token));
    console.log(await callWith(hub, undefined), await callWith(hub, 'wrong'), (await callWith(hub, tokens.access_token)));
    expect(1).toBe(1);
  });
});
