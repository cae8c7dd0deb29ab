import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../agents/index.js';
import type { Admin } from '../../operations/index.js';
import { createClientNetworkOf } from '../client-network.js';
import { createBrowserGate } from '../pages/browser-cookie.js';
import {
  createAdminAuthentication,
  createBearerAuthentication,
  createCookieAuthentication,
} from './authentication.js';

const ANNA: Admin = { id: 'anna', role: 'owner' };
const COOKIE = 'c'.repeat(43);

describe('a token', () => {
  const shown: object[] = [];
  const authenticate = createBearerAuthentication((attempt) => {
    shown.push(attempt);
    return Promise.resolve(ANNA);
  }, createClientNetworkOf([]));
  const show = (authorization?: string) =>
    authenticate(
      new Request('http://hub.example/', { headers: authorization === undefined ? {} : { authorization } }),
      '2001:db8::6',
    );

  test.each(['Bearer t', 'bearer   t', `Bearer ${'t'.repeat(1024)}`])(
    '%.20s is looked up',
    async (header) => {
      shown.length = 0;
      expect(await show(header)).toBe(ANNA);
      expect(shown).toEqual([{ token: header.split(' ').at(-1), address: '2001:db8:0:0::/64' }]);
    },
  );

  test.each([undefined, 'Basic t', 'Bearer', 'Bearer a b', 'xBearer t', `Bearer ${'t'.repeat(1025)}`])(
    '%.20s is none',
    async (header) => {
      shown.length = 0;
      expect(await show(header)).toBeUndefined();
      expect(shown).toEqual([]);
    },
  );
});

describe('a browser', () => {
  const session = (kind: 'admin' | 'agent'): BrowserSession =>
    ({ id: 's', principal: { kind, ...ANNA }, csrf: 'csrf-token' }) as unknown as BrowserSession;

  function send(method: string, headers: Record<string, string>, found?: BrowserSession) {
    const gate = createBrowserGate({
      sessions: { find: (cookie) => Promise.resolve(cookie === COOKIE ? found : undefined) },
      secure: () => true,
    });
    const request = new Request('https://hub.example/x', {
      method,
      headers: { host: 'hub.example', ...headers },
    });
    return createCookieAuthentication(gate)(request, '192.0.2.1');
  }
  const cookie = { cookie: `__Host-crosspoint=${COOKIE}` };
  const ours = { ...cookie, origin: 'https://hub.example', 'x-csrf-token': 'csrf-token' };

  test('that an admin signed in with is that admin', async () => {
    const found = session('admin');
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const admin = await send(method, cookie, found);
      expect(admin).toMatchObject({ ...ANNA, signedIn: { session: found } });
      expect(admin?.signedIn?.cookie.reveal()).toBe(COOKIE);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await send(method, ours, found)).toMatchObject(ANNA);
  });

  test('without a cookie, with a strange one, or of an agent is nobody', async () => {
    expect(await send('GET', {}, session('admin'))).toBeUndefined();
    expect(await send('GET', cookie)).toBeUndefined();
    expect(await send('GET', cookie, session('agent'))).toBeUndefined();
    expect(await send('POST', cookie, session('agent'))).toBeUndefined();
  });

  test.each<[string, string, Record<string, string>]>([
    ['a write without the token', 'POST', { ...ours, 'x-csrf-token': '' }],
    ['a write with another token', 'DELETE', { ...ours, 'x-csrf-token': 'other' }],
    ['a write from another origin', 'POST', { ...ours, origin: 'https://evil.example' }],
    ['a write from nowhere', 'POST', { ...cookie, 'x-csrf-token': 'csrf-token' }],
    ['a read from another site', 'GET', { ...cookie, 'sec-fetch-site': 'cross-site' }],
    ['a read from a neighbour', 'GET', { ...cookie, 'sec-fetch-site': 'same-site' }],
  ])('%s is forbidden', async (_what, method, headers) => {
    await expect(send(method, headers, session('admin'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  test.each(['same-origin', 'none'])('a read that comes from %s is not', async (site) => {
    expect(await send('GET', { ...cookie, 'sec-fetch-site': site }, session('admin'))).toMatchObject(ANNA);
  });
});

test('whoever shows a token is judged by it alone', async () => {
  const by = (name: string) => (_request: Request, address: string) =>
    Promise.resolve({ id: `${name} ${address}`, role: 'viewer' } as const);
  const authenticate = createAdminAuthentication(by('token'), by('cookie'));
  const ask = (headers: Record<string, string>) =>
    authenticate(new Request('http://hub.example/', { headers }), 'here');
  expect(await ask({ authorization: 'anything', cookie: 'a=b' })).toMatchObject({ id: 'token here' });
  expect(await ask({ cookie: 'a=b' })).toMatchObject({ id: 'cookie here' });
});
