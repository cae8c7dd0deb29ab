import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passProvider } from '../support/identity-provider.js';
import { eventsOf } from '../support/hub-events.js';
import { signIn } from '../support/oauth-client.js';
import { startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import type { Closable } from '../support/resources.js';
import type { FormBrowser } from '../support/sign-in.js';

/** What comes back from authorization servers, and from those who pretend to be one. */

const open: Closable[] = [];
let given: AccountHub;
beforeAll(async () => {
  given = await startAccountHub(
    (resource) => {
      open.push(resource);
      return resource;
    },
    { credentialMode: 'per_agent' },
  );
});
afterAll(async () => {
  for (const resource of open.toReversed()) await resource.close();
});

const tokenCalls = () => given.provider.tokenCalls().length;
const accounts = async () =>
  ((await given.ask('GET', '/connectors/tracker/accounts')).body['items'] as unknown[]).length;
const callBack = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers });
const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? '';

async function expectRefusal(response: Response, status: number): Promise<string> {
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) });
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('cache-control')).toBe('no-store');
  return text;
}

describe('C66, B6.1 O-1: a state', () => {
  test.each([
    ['that is missing', ''],
    ['that nobody gave', `?state=${'x'.repeat(43)}&code=y`],
    ['that is no state', '?state=%3Cscript%3E&code=y'],
    ['that is given twice', `?state=${'x'.repeat(43)}&state=${'y'.repeat(43)}&code=z`],
  ])('%s ends on a page, without a token call', async (_what, query) => {
    const before = tokenCalls();
    const text = await expectRefusal(await callBack(`${given.hub.url}/oauth/callback${query}`), 400);
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('xxxxx');
    expect(tokenCalls()).toBe(before);
    expect((await eventsOf(given.hub, 'account.refused')).length).toBeGreaterThan(0);
  });

  test('counts once', async () => {
    const url = await given.signIn({ agent: 'alice', account: 'once' });
    expect((await callBack(url)).status).toBe(200);
    const before = tokenCalls();
    await expectRefusal(await callBack(url), 400);
    expect(tokenCalls()).toBe(before);
  });

  test('is 256 bits of chance', async () => {
    const states = await Promise.all(
      [1, 2, 3].map(async () => stateOf(await given.signIn({ agent: 'bob' }))),
    );
    expect(new Set(states).size).toBe(3);
    for (const state of states) expect(state.length).toBeGreaterThanOrEqual(43);
  });

  test('is not used up by a look', async () => {
    const url = await given.signIn({ agent: 'alice', account: 'looked' });
    expect((await fetch(url, { method: 'HEAD', redirect: 'manual' })).status).toBe(405);
    expect((await callBack(url)).status).toBe(200);
  });
});

describe('B6.2: begun in one browser', () => {
  async function beginIn(browser: FormBrowser): Promise<string> {
    const session = await browser.get('/api/v1/session');
    const { session: shown } = (await session.json()) as { session?: { csrfToken?: string } };
    const begun = await fetch(`${given.hub.url}/api/v1/connectors/tracker/connect`, {
      method: 'POST',
      headers: {
        cookie: browser.cookie,
        origin: given.hub.url,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        'x-csrf-token': shown?.csrfToken ?? '',
      },
      body: JSON.stringify({ agent: 'alice', account: 'browser', returnTo: '/connectors/tracker' }),
    });
    const { authorizationUrl } = (await begun.json()) as { authorizationUrl: string };
    expect(begun.status).toBe(200);
    return passProvider(authorizationUrl, given.provider.issuer);
  }

  test('it ends in that browser and goes back to where it began', async () => {
    const browser = await signIn(given.hub, given.hub.adminToken);
    const url = await beginIn(browser);
    const page = await callBack(url, { cookie: browser.cookie });
    const text = await page.text();
    expect({ status: page.status, text }).toEqual({
      status: 200,
      text: expect.stringContaining('is connected'),
    });
    expect(text).toContain('href="/connectors/tracker"');
  });

  test.each([
    ['another browser', async () => ''],
    ['a browser that signed in anew', async () => (await signIn(given.hub, given.hub.adminToken)).cookie],
    ["an agent's browser", async () => (await signIn(given.hub, given.hub.localKey)).cookie],
  ])('%s is refused and nothing is stored', async (_who, cookieOf) => {
    const before = { calls: tokenCalls(), accounts: await accounts() };
    const url = await beginIn(await signIn(given.hub, given.hub.adminToken));
    await expectRefusal(await callBack(url, { cookie: await cookieOf() }), 403);
    expect({ calls: tokenCalls(), accounts: await accounts() }).toEqual(before);
  });
});

describe('an answer', () => {
  test('B6.5: comes to an address that no header changes', async () => {
    const begun = await given.ask(
      'POST',
      '/connectors/tracker/connect',
      { agent: 'alice' },
      {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      },
    );
    const { searchParams } = new URL(String(begun.body['authorizationUrl']));
    expect(searchParams.get('redirect_uri')).toBe(`${given.hub.url}/oauth/callback`);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    expect(searchParams.get('resource')).toBe(given.upstream.url);
  });

  test.each([
    ['wrong', 'https://evil.example'],
    ['with a slash more', undefined],
    ['in capitals', undefined],
  ])('C66, B6.3: whose issuer is %s is refused before the code is used', async (what, wrong) => {
    const before = { calls: tokenCalls(), accounts: await accounts() };
    const url = new URL(await given.signIn({ agent: 'alice', account: 'iss' }));
    const { issuer } = given.provider;
    expect(url.searchParams.get('iss')).toBe(issuer);
    const changed = wrong ?? (what === 'in capitals' ? issuer.toUpperCase() : `${issuer}/`);
    url.searchParams.set('iss', changed);
    await expectRefusal(await callBack(url.href), 400);
    expect({ calls: tokenCalls(), accounts: await accounts() }).toEqual(before);
  });

  test('C66, B6.3: without the issuer it promised is refused', async () => {
    const before = tokenCalls();
    const url = new URL(await given.signIn({ agent: 'alice', account: 'iss' }));
    url.searchParams.delete('iss');
    await expectRefusal(await callBack(url.href), 400);
    expect(tokenCalls()).toBe(before);
  });

  test('O-2: with a code of another flow stores nothing', async () => {
    const before = await accounts();
    const mine = new URL(await given.signIn({ agent: 'alice', account: 'injected' }));
    const other = new URL(await given.signIn({ agent: 'bob', account: 'injected' }));
    mine.searchParams.set('code', other.searchParams.get('code') ?? '');
    const response = await callBack(mine.href);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await accounts()).toBe(before);
  });

  test('O-4: that says no is answered with fixed words', async () => {
    given.provider.agrees = false;
    const before = tokenCalls();
    try {
      const url = await given.signIn({ agent: 'alice', account: 'refused' });
      expect(url).toContain('access_denied');
      const text = await expectRefusal(await callBack(url), 400);
      expect(text).not.toContain('script>');
      expect(text).not.toContain('access_denied');
    } finally {
      given.provider.agrees = true;
    }
    expect(tokenCalls()).toBe(before);
  });

  test('B6.8 B6.9: shows nothing of what was granted', async () => {
    const url = await given.signIn({ agent: 'alice', account: 'quiet' });
    const text = await (await callBack(url)).text();
    const { searchParams } = new URL(url);
    for (const secret of [searchParams.get('code'), searchParams.get('state')])
      expect(text).not.toContain(String(secret));
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
  });
});

describe('a program on the own machine', () => {
  const returnTo = 'http://127.0.0.1:9/place';

  test('has to take the answer itself', async () => {
    const before = tokenCalls();
    const url = await given.signIn({ agent: 'alice', account: 'program', returnTo });
    const sent = await callBack(url);
    expect(sent.status).toBe(303);
    const location = new URL(sent.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(returnTo);
    expect([...location.searchParams.keys()]).toEqual(['confirmation']);
    expect(tokenCalls()).toBe(before);
    const confirmation = location.searchParams.get('confirmation');
    const finish = () => given.ask('POST', '/connectors/tracker/connect/finish', { confirmation });
    expect(await finish()).toMatchObject({
      status: 200,
      body: { owner: 'alice', account: 'program', state: 'valid' },
    });
    expect(tokenCalls()).toBe(before + 1);
    expect(await finish()).toMatchObject({ status: 400 });
  });

  test('is nobody else', async () => {
    const added = await given.ask('POST', '/admins', { id: 'other', role: 'owner' });
    const token = String(added.body['token']);
    const before = { calls: tokenCalls(), accounts: await accounts() };
    const sent = await callBack(await given.signIn({ agent: 'alice', account: 'theirs', returnTo }));
    const confirmation = new URL(sent.headers.get('location') ?? '').searchParams.get('confirmation');
    const answer = await given.ask(
      'POST',
      '/connectors/tracker/connect/finish',
      { confirmation },
      {
        authorization: `Bearer ${token}`,
      },
    );
    expect(answer).toMatchObject({ status: 403 });
    expect({ calls: tokenCalls(), accounts: await accounts() }).toEqual(before);
  });
});

describe('the document about this hub', () => {
  test('C61: names itself and one address to come back to', async () => {
    const response = await fetch(`${given.hub.url}/oauth/client-metadata.json`);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      client_id: `${given.hub.url}/oauth/client-metadata.json`,
      redirect_uris: [`${given.hub.url}/oauth/callback`],
      client_name: 'Crosspoint',
      token_endpoint_auth_method: 'none',
    });
  });
});

test('O-16: a flood is turned away, and little of it is written down', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 40; count++)
    statuses.push((await callBack(`${given.hub.url}/oauth/callback?state=${'f'.repeat(43)}`)).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await eventsOf(given.hub, 'account.refused')).length).toBeLessThan(40);
});
