import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { FormBrowser } from '../support/sign-in.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

const HOSTILE = '<script>alert(1)</script>\u202e<img src=x onerror=alert(1)>';

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({
    config: {
      admin: { accounts: { ann: { role: 'operator', token: 'ann-token-0123456789abcdef' } } },
      agents: { ci: { name: HOSTILE, keys: ['ci-key-0123456789abcdef'] } },
    },
  });
});
afterAll(() => hub?.close());

async function signedIn(secret: string): Promise<FormBrowser> {
  const browser = new FormBrowser(hub);
  expect((await browser.post('/sign-in', { secret })).status).toBe(303);
  return browser;
}

describe('signing in', () => {
  test('without it every page leads to the form, which shows nothing of the hub', async () => {
    const browser = new FormBrowser(hub);
    const start = await browser.get('/');
    expect([start.status, start.headers.get('location')]).toEqual([303, '/sign-in']);
    const form = await browser.get('/sign-in');
    const text = await form.text();
    expect(form.status).toBe(200);
    expect(text).not.toMatch(/script|ann|local|Sign in with/);
    expect(form.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(browser.cookie).toBe('');
  });

  test('with the admin token', async () => {
    const browser = new FormBrowser(hub);
    const answer = await browser.post('/sign-in', { secret: ` ${hub.adminToken} ` });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^crosspoint=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(await browser.whoIs()).toBe('admin (owner)');
  });

  test.each([
    ['an account', 'ann-token-0123456789abcdef', 'ann (operator)'],
    ['an agent', 'ci-key-0123456789abcdef', 'the agent ci'],
  ])('with what belongs to %s', async (_name, secret, shown) => {
    expect(await (await signedIn(secret)).whoIs()).toBe(shown);
  });

  test('an agent sees nothing of the hub, and its name as text', async () => {
    const page = await (await (await signedIn('ci-key-0123456789abcdef')).get('/')).text();
    expect(page).not.toContain('Agents');
    expect(page).not.toMatch(/<script|<img|\u202e/);
  });

  test('A-13: each time with a new cookie, and the one before is worth nothing', async () => {
    const browser = await signedIn(hub.adminToken);
    const before = browser.cookie;
    await browser.post('/sign-in', { secret: 'ann-token-0123456789abcdef' });
    expect(browser.cookie).not.toBe(before);
    const old = new FormBrowser(hub);
    old.cookie = before;
    expect(await old.whoIs()).toBeUndefined();
    expect(await browser.whoIs()).toBe('ann (operator)');
  });

  test('A-13: a cookie somebody else chose is never signed in', async () => {
    const browser = new FormBrowser(hub);
    const chosen = `crosspoint=${'A'.repeat(43)}`;
    browser.cookie = chosen;
    await browser.post('/sign-in', { secret: hub.adminToken });
    expect(browser.cookie).not.toBe(chosen);
    const stranger = new FormBrowser(hub);
    stranger.cookie = chosen;
    expect(await stranger.whoIs()).toBeUndefined();
  });

  test('O-15: afterwards it goes on only to pages of the hub', async () => {
    for (const [next, path] of [
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['javascript:alert(1)', '/'],
    ] as const) {
      const answer = await new FormBrowser(hub).post('/sign-in', { secret: hub.adminToken, next });
      expect(answer.headers.get('location')).toBe(path);
    }
    const flow = await new FormBrowser(hub).post('/sign-in', {
      secret: hub.adminToken,
      next: '/oauth/connect/x?a=1&b="><script>',
    });
    expect(flow.status).toBe(200);
    expect(flow.headers.get('refresh')).toBe('0; url=/oauth/connect/x?a=1&b=%22%3E%3Cscript%3E');
    expect(await flow.text()).toContain('href="/oauth/connect/x?a=1&amp;b=%22%3E%3Cscript%3E"');
  });
});

describe('what must not sign in', () => {
  test('B4.2 A-2: a form of another site, or of none', async () => {
    for (const headers of [
      { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: hub.url, 'sec-fetch-site': 'cross-site' },
    ]) {
      const browser = new FormBrowser(hub);
      expect((await browser.post('/sign-in', { secret: hub.adminToken }, headers)).status).toBe(403);
      expect(browser.cookie).toBe('');
    }
    const bare = await fetch(`${hub.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ secret: hub.adminToken }),
    });
    expect(bare.status).toBe(403);
  });

  test('a token in the address', async () => {
    const answer = await new FormBrowser(hub).get(`/sign-in?secret=${hub.adminToken}`);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await answer.text()).not.toContain(hub.adminToken);
  });

  test.each([
    ['json', { 'content-type': 'application/json' }, '{}', 415],
    ['too much', { 'content-type': 'application/x-www-form-urlencoded' }, 'x'.repeat(20_000), 413],
  ])('%s', async (_name, headers, body, status) => {
    const answer = await fetch(`${hub.url}/sign-in`, {
      method: 'POST',
      headers: { origin: hub.url, ...headers },
      body,
    });
    expect(answer.status).toBe(status);
  });

  test('other methods', async () => {
    const answer = await fetch(`${hub.url}/sign-in`, { method: 'PUT' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect((await fetch(`${hub.url}/sign-out`)).status).toBe(405);
  });
});

describe('a sign-in link', () => {
  const codeOf = async (): Promise<string> => {
    const { body } = await admin(hub, 'POST', '/sign-in-links');
    return new URL(String(body['url'])).searchParams.get('code') ?? '';
  };

  test('works once, by its button and not by looking', async () => {
    const code = await codeOf();
    for (const method of ['GET', 'HEAD', 'GET']) {
      const preview = await fetch(`${hub.url}/sign-in?code=${code}`, { method });
      expect([preview.status, preview.headers.get('set-cookie')]).toEqual([200, null]);
    }
    const browser = new FormBrowser(hub);
    expect((await browser.post('/sign-in', { code })).status).toBe(303);
    expect(await browser.whoIs()).toBe('admin (owner)');
    const again = await new FormBrowser(hub).post('/sign-in', { code });
    expect(again.status).toBe(401);
    expect(await again.text()).toContain('crosspoint sign-in-link');
  });

  test('goes to one of many who press at once', async () => {
    const code = await codeOf();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => new FormBrowser(hub).post('/sign-in', { code })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401, 401, 401, 401]);
  });

  test('is not shown back unless it could be one', async () => {
    const page = await (await new FormBrowser(hub).get(`/sign-in?code="><script>x</script>`)).text();
    expect(page).not.toContain('<script');
  });
});

describe('signing out', () => {
  test('A-13: the cookie is worth nothing afterwards, and is taken away', async () => {
    const browser = await signedIn(hub.adminToken);
    const kept = browser.cookie;
    const answer = await browser.post('/sign-out', { csrf: await browser.csrf() });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(answer.headers.get('clear-site-data')).toBe('"cache"');
    expect(browser.cookie).toBe('');
    browser.cookie = kept;
    expect(await browser.whoIs()).toBeUndefined();
    expect((await browser.get('/api/v1/status')).status).toBe(401);
  });

  test('B4.2: needs the token of the form and its origin', async () => {
    const browser = await signedIn(hub.adminToken);
    const csrf = await browser.csrf();
    expect((await browser.post('/sign-out', {})).status).toBe(403);
    expect((await browser.post('/sign-out', { csrf: 'x' })).status).toBe(403);
    expect((await browser.post('/sign-out', { csrf }, { origin: 'http://evil.example' })).status).toBe(403);
    expect(await browser.whoIs()).toBe('admin (owner)');
  });
});

describe('what ends a session', () => {
  const added = async (): Promise<{ key: string; keyId: string }> => {
    await admin(hub, 'DELETE', '/agents/temp');
    await admin(hub, 'POST', '/agents', { id: 'temp' });
    const { body } = await admin(hub, 'POST', '/agents/temp/keys');
    return { key: String(body['key']), keyId: String(body['id']) };
  };

  test.each([
    ['its key is revoked', (keyId: string) => ['DELETE', `/agents/temp/keys/${keyId}`] as const],
    ['the agent is disabled', () => ['PATCH', '/agents/temp', { enabled: false }] as const],
    ['the agent is removed', () => ['DELETE', '/agents/temp'] as const],
  ])('%s', async (_name, change) => {
    const { key, keyId } = await added();
    const browser = await signedIn(key);
    expect(await browser.whoIs()).toBe('the agent temp');
    const [method, path, body] = change(keyId);
    expect((await admin(hub, method, path, body)).status).toBeLessThan(300);
    // Not even if the agent comes back before anybody looks.
    await admin(hub, 'PATCH', '/agents/temp', { enabled: true });
    expect(await browser.whoIs()).toBeUndefined();
  });

  test('the admin is removed', async () => {
    const { body } = await admin(hub, 'POST', '/admins', { id: 'bob', role: 'viewer' });
    const browser = await signedIn(String(body['token']));
    expect(await browser.whoIs()).toBe('bob (viewer)');
    await admin(hub, 'DELETE', '/admins/bob');
    expect(await browser.whoIs()).toBeUndefined();
    expect((await new FormBrowser(hub).post('/sign-in', { secret: String(body['token']) })).status).toBe(401);
  });
});

describe('guessing', () => {
  const WRONG = ['cpa_wrong-token-0123456789', 'cpk_wrong-key-0123456789', '', 'x'.repeat(5_000)];
  let other: TestHub;
  beforeAll(async () => {
    other = await startTestHub({
      config: { agents: { off: { enabled: false, keys: ['off-key-0123456789abcdef'] } } },
    });
  });
  afterAll(() => other?.close());
  const attempt = (secret: string) => new FormBrowser(other).post('/sign-in', { secret });

  test('A-12: whatever was wrong, the answer is the same', async () => {
    const answers: string[] = [];
    for (const secret of [...WRONG, 'off-key-0123456789abcdef']) {
      const answer = await attempt(secret);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('set-cookie')).toBeNull();
      answers.push(await answer.text());
    }
    expect(new Set(answers).size).toBe(1);
  });

  test('B4.5 A-12: after ten within five minutes nobody there gets in, by form or by token', async () => {
    for (let round = WRONG.length + 1; round < 10; round++)
      expect((await attempt('wrong-again')).status).toBe(401);
    const blocked = await attempt(other.adminToken);
    expect(blocked.status).toBe(429);
    expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(200);
    expect(await blocked.text()).toContain('Too many');
    expect((await admin(other, 'GET', '/status')).status).toBe(429);
    const refusals = await eventsOf(other, 'auth.refused');
    expect(refusals).toHaveLength(10);
    expect(refusals[0]).toMatchObject({ surface: 'sign_in', reason: 'a wrong token or key from 127.0.0.1' });
  });
});

test('the console works with the cookie: it reads, and writes with its token only', async () => {
  const browser = await signedIn(hub.adminToken);
  const session = (await (await browser.get('/api/v1/session')).json()) as {
    session: { csrfToken: string };
  };
  const write = (headers: Readonly<Record<string, string>>) =>
    fetch(`${hub.url}/api/v1/agents`, {
      method: 'POST',
      headers: { cookie: browser.cookie, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ id: 'by-cookie' }),
    });
  const csrf = { 'x-csrf-token': session.session.csrfToken };
  expect((await write({ origin: hub.url })).status).toBe(403);
  expect((await write(csrf)).status).toBe(403);
  expect((await write({ ...csrf, origin: 'http://evil.example' })).status).toBe(403);
  expect((await admin(hub, 'GET', '/agents/by-cookie')).status).toBe(404);
  expect((await write({ ...csrf, origin: hub.url })).status).toBe(201);
});

test('what is signed in with is in no event', async () => {
  const events = JSON.stringify([
    ...(await eventsOf(hub, 'session.started')),
    ...(await eventsOf(hub, 'session.ended')),
    ...(await eventsOf(hub, 'admin.added')),
    ...(await eventsOf(hub, 'auth.refused')),
  ]);
  for (const way of ['link', 'token', 'key']) expect(events).toContain(`"way":"${way}"`);
  expect(events).toContain('"reason":"replaced"');
  for (const secret of [hub.adminToken, hub.localKey, 'ann-token', 'ci-key', 'cpk_', 'cpa_'])
    expect(events).not.toContain(secret);
});
