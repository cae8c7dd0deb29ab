import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventsOf } from '../support/hub-events.js';
import { passProvider, startIdentityProvider, type IdentityProvider } from '../support/identity-provider.js';
import { FormBrowser } from '../support/sign-in.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

const ANN = { sub: 'u-1', email: 'ann@example.com', email_verified: true };

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider?.close());

async function startHub(oidc: object = {}): Promise<TestHub> {
  const { issuer, clientId, clientSecret } = provider;
  const hub = await startTestHub({
    config: {
      agents: { ci: {}, off: { enabled: false } },
      admin: {
        oidc: {
          issuer,
          clientId,
          clientSecret,
          roles: { owner: ['ann@example.com', 'u-9'], viewer: ['vic@example.com'] },
          agents: { 'bot@example.com': 'ci', 'off@example.com': 'off' },
          ...oidc,
        },
      },
    },
  });
  provider.serve(`${hub.url}/sign-in/callback`);
  return hub;
}

/** Goes to the provider and comes back with its answer, which is not shown to the hub yet. */
async function begin(browser: FormBrowser, next = '/'): Promise<string> {
  const answer = await browser.get(`/sign-in/provider?next=${encodeURIComponent(next)}`);
  expect(answer.status).toBe(303);
  return passProvider(answer.headers.get('location') ?? '', provider.issuer);
}

describe('signing in with an identity provider', () => {
  let hub: TestHub;
  beforeAll(async () => {
    hub = await startHub();
  });
  afterAll(() => hub?.close());
  beforeEach(() => {
    provider.person = ANN;
    provider.interfere = undefined;
  });

  test('the form offers it', async () => {
    const page = await (await new FormBrowser(hub).get('/sign-in?next=/oauth/connect/x')).text();
    expect(page).toContain('href="/sign-in/provider?next=%2Foauth%2Fconnect%2Fx"');
    expect(page).toContain(`Sign in with ${new URL(provider.issuer).host}`);
  });

  test('what the provider is asked is bound to this browser', async () => {
    const browser = new FormBrowser(hub);
    const answer = await browser.get('/sign-in/provider');
    const { origin, searchParams } = new URL(answer.headers.get('location') ?? '');
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'hub',
      redirect_uri: `${hub.url}/sign-in/callback`,
      response_type: 'code',
      scope: 'openid email',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^crosspoint-sign-in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test.each([
    ['a verified address with a role', ANN, 'oidc:ann@example.com (owner)'],
    ['another', { ...ANN, email: 'vic@example.com' }, 'oidc:vic@example.com (viewer)'],
    [
      'a subject, where the address is not verified',
      { sub: 'u-9', email: 'ann@example.com' },
      'oidc:u-9 (owner)',
    ],
    ['an address that stands for an agent', { ...ANN, email: 'bot@example.com' }, 'the agent ci'],
  ])('with %s', async (_name, person, shown) => {
    provider.person = person;
    const browser = new FormBrowser(hub);
    const back = await begin(browser);
    const answer = await browser.get(back);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(await browser.whoIs()).toBe(shown);
  });

  test.each([
    ['nobody here knows', { sub: 'u-2', email: 'eve@example.com', email_verified: true }],
    ['claims an address that was not verified', { sub: 'u-2', email: 'ann@example.com' }],
    ['claims that it was not', { sub: 'u-2', email: 'ann@example.com', email_verified: false }],
    ['stands for an agent that is switched off', { ...ANN, email: 'off@example.com' }],
    ['has the name of something every object has', { sub: '__proto__' }],
  ])('not for whoever %s', async (_name, person) => {
    provider.person = person;
    const browser = new FormBrowser(hub);
    const answer = await browser.get(await begin(browser));
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toMatch(/eve@|ann@|u-2/);
    expect(await browser.whoIs()).toBeUndefined();
  });

  test('and goes on to where it began', async () => {
    const browser = new FormBrowser(hub);
    const answer = await browser.get(await begin(browser, '/oauth/connect/abc'));
    expect(answer.headers.get('refresh')).toBe('0; url=/oauth/connect/abc');
    const elsewhere = new FormBrowser(hub);
    const home = await elsewhere.get(await begin(elsewhere, '//evil.example'));
    expect(home.headers.get('location')).toBe('/');
  });

  test('in two tabs at once, each of which goes on to where it began', async () => {
    const browser = new FormBrowser(hub);
    const [first, second] = [
      await begin(browser, '/oauth/connect/a'),
      await begin(browser, '/oauth/connect/b'),
    ];
    const stray = new URL(first);
    stray.searchParams.set('state', 'x'.repeat(43));
    expect((await browser.get(stray.href)).status).toBe(400);
    for (const [back, next] of [
      [first, '/oauth/connect/a'],
      [second, '/oauth/connect/b'],
    ] as const) {
      const answer = await browser.get(back);
      expect([answer.status, answer.headers.get('refresh')]).toEqual([200, `0; url=${next}`]);
      expect(await browser.whoIs()).toBe('oidc:ann@example.com (owner)');
    }
    expect((await browser.get(first)).status).toBe(400);
  });

  test('what was refused is recorded without secrets', async () => {
    const refusals = await eventsOf(hub, 'auth.refused');
    expect(refusals.map(({ reason }) => reason)).toContain(
      'somebody the identity provider knows and nobody here gave a role, from 127.0.0.1',
    );
    const started = await eventsOf(hub, 'session.started');
    expect(started).toContainEqual({
      type: 'session.started',
      session: expect.any(String) as string,
      way: 'single_sign_on',
      role: 'owner',
    });
  });
});

describe('an answer that must not count', () => {
  let hub: TestHub;
  // Each has its own hub, because wrong ones are counted.
  beforeEach(async () => {
    provider.person = ANN;
    provider.interfere = undefined;
    hub = await startHub();
  });
  afterEach(() => hub?.close());

  async function refused(browser: FormBrowser, back: string, status: number): Promise<void> {
    const before = provider.tokenCalls();
    const answer = await browser.get(back);
    expect(answer.status).toBe(status);
    expect(answer.headers.getSetCookie().join()).not.toMatch(/crosspoint=/);
    expect(await answer.text()).not.toMatch(/script|evil|canary/);
    expect(provider.tokenCalls()).toBe(before);
  }

  test('O-1: in another browser, twice, with another state, without one, or never begun', async () => {
    const browser = new FormBrowser(hub);
    const back = await begin(browser);
    const keeper = new FormBrowser(hub);
    keeper.cookie = browser.cookie;
    await refused(new FormBrowser(hub), back, 400);
    const other = new FormBrowser(hub);
    await begin(other);
    await refused(other, back, 400);
    expect((await browser.get(back)).status).toBe(303);
    await refused(keeper, back, 400);
    const third = new FormBrowser(hub);
    const url = new URL(await begin(third));
    url.searchParams.delete('state');
    await refused(third, url.href, 400);
  });

  test('O-3: from another issuer', async () => {
    const browser = new FormBrowser(hub);
    const url = new URL(await begin(browser));
    expect(url.searchParams.get('iss')).toBe(provider.issuer);
    url.searchParams.set('iss', `${provider.issuer}/`);
    await refused(browser, url.href, 502);
    const without = new FormBrowser(hub);
    const bare = new URL(await begin(without));
    bare.searchParams.delete('iss');
    await refused(without, bare.href, 502);
  });

  test('O-4: an error of the provider, whose words are not shown', async () => {
    const browser = new FormBrowser(hub);
    const url = new URL(await begin(browser));
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', '<script>evil</script>');
    await refused(browser, url.href, 502);
    expect(await browser.whoIs()).toBeUndefined();
  });

  test('O-2: the code of another sign-in', async () => {
    const [one, two] = [new FormBrowser(hub), new FormBrowser(hub)];
    const first = new URL(await begin(one));
    const second = new URL(await begin(two));
    second.searchParams.set('code', first.searchParams.get('code') ?? '');
    expect((await two.get(second.href)).status).toBe(502);
    expect(await two.whoIs()).toBeUndefined();
  });

  test.each([
    ['of another issuer', 200, { issuer: 'https://evil.example' }],
    ['that is no object', 200, []],
    ['with a script for a browser', 200, { authorization_endpoint: 'javascript:alert(1)' }],
    ['that leads elsewhere', 302, {}],
    ['of 32 MB', 200, { padding: 'x'.repeat(32 * 1024 * 1024) }],
  ])('metadata %s', async (_name, status, change) => {
    provider.interfere = (request, response) => {
      if (request.url?.startsWith('/.well-known/') !== true) return false;
      const metadata = {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/auth`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
      };
      const body = Array.isArray(change) ? change : { ...metadata, ...change };
      response.writeHead(status, { 'content-type': 'application/json', location: 'https://evil.example/' });
      response.end(JSON.stringify(body));
      return true;
    };
    const answer = await new FormBrowser(hub).get('/sign-in/provider');
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toMatch(/evil|javascript/);
  });

  test('O-16: beginnings are bounded', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 32; round++) {
      const answer = await new FormBrowser(hub).get('/sign-in/provider');
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses.slice(0, 30).every((status) => status === 303)).toBe(true);
    expect(statuses.slice(30)).toEqual([429, 429]);
  });
});

test('a claim with groups decides, and changing the settings ends what they gave', async () => {
  const settings = { scopes: ['openid', 'email', 'groups'], claim: 'groups' };
  const hub = await startHub({ ...settings, roles: { operator: ['hub-operators'] }, agents: {} });
  try {
    provider.person = { ...ANN, groups: ['everybody', 'hub-operators'] };
    const browser = new FormBrowser(hub);
    await browser.get(await begin(browser));
    expect(await browser.whoIs()).toBe('oidc:ann@example.com (operator)');
    const { singleSignOn } = hub.running.hub.browser;
    singleSignOn.configure(undefined);
    expect(await browser.whoIs()).toBeUndefined();
    expect((await browser.get('/sign-in/provider')).status).toBe(404);
  } finally {
    await hub.close();
  }
});
