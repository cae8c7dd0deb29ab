import { describe, expect, test } from 'vitest';
import type { InputHandlers } from '../../src/mcp/client/index.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { passProvider } from '../support/identity-provider.js';
import { signIn } from '../support/oauth-client.js';
import { ALICE_KEY, BOB_KEY, startAccountHub, type AccountHub } from '../support/oauth/account-hub.js';
import { closeAfterEach } from '../support/resources.js';
import { FormBrowser } from '../support/sign-in.js';

/** An agent that has no account yet, and the person behind its client. */

const keep = closeAfterEach();
/** About calls only, so that the tool can still be seen. */
const LATER = `forbid(principal, action == Action::"call", resource in Connector::"tracker")
when { context.now > datetime("2020-01-01") };`;
const textOf = (result: unknown): string => JSON.stringify(result);

interface Elicited {
  readonly mode?: unknown;
  readonly url?: unknown;
  readonly message?: unknown;
}

async function start(
  era: 'legacy' | 'modern',
  answer?: (given: AccountHub, asked: Elicited) => Promise<string>,
) {
  const given = await startAccountHub(keep, { credentialMode: 'per_agent' });
  // Somebody connected before, so that there is something to see.
  expect((await given.connect({ agent: 'bob' })).status).toBe(200);
  given.provider.person = 'alice';
  const asked: Elicited[] = [];
  const handlers: InputHandlers = {
    elicitation: async ({ params = {} }) => {
      asked.push(params);
      return { action: (await answer?.(given, params)) ?? 'cancel' };
    },
  };
  const client = keep(
    await connectAgent(given.hub, {
      era,
      key: ALICE_KEY,
      ...(answer && { handlers, capabilities: { elicitation: { url: {} } } }),
    }),
  );
  return { ...given, asked, call: (tool = 'look') => client.callTool(`tracker__${tool}`) };
}

/** What a person does with the address: sign in to the hub, say yes, sign in there, come back. */
async function visit({ hub, provider }: AccountHub, url: string, key = ALICE_KEY): Promise<Response> {
  const path = new URL(url).pathname;
  const stranger = new FormBrowser(hub);
  const first = await stranger.get(path);
  expect(first.status).toBe(303);
  expect(first.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(path)}`);
  const browser = await signIn(hub, key);
  const csrf = await browser.csrfOf(path);
  const page = await browser.post(path, { csrf });
  const text = await page.text();
  if (page.status !== 200) return new Response(text, { status: page.status });
  const link =
    /href="(http[^"]*authorize|http[^"]*\/auth[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const back = await passProvider(link, provider.issuer);
  return browser.get(back.slice(hub.url.length));
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('is sent to a page, and the call is made when its user has signed in', async () => {
    const given = await start(era, async (hub, { url }) => {
      expect((await visit(hub, String(url))).status).toBe(200);
      return 'accept';
    });
    expect(await given.call()).not.toHaveProperty('isError');
    expect(given.asked).toMatchObject([
      { mode: 'url', message: expect.stringContaining('Tracker') as string },
    ]);
    expect(String(given.asked[0]?.url)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/connect\/[\w-]{43}$/);
    expect(given.upstream.served).toEqual([{ person: 'alice', tool: 'look' }]);
    expect(await given.call()).not.toHaveProperty('isError');
    expect(given.asked).toHaveLength(1);
    expect(await eventsOf(given.hub, 'call.intended')).toHaveLength(2);
    expect(await eventsOf(given.hub, 'account.connected')).toMatchObject([
      { owner: 'bob' },
      { owner: 'alice' },
    ]);
  });

  test('that agrees before its user is done is waited for', async () => {
    let visited: Promise<unknown> | undefined;
    const given = await start(era, async (hub, { url }) => {
      visited = visit(hub, String(url));
      return 'accept';
    });
    expect(await given.call()).not.toHaveProperty('isError');
    await visited;
  });

  test.each([1, 2])('is refused where a policy forbids the call by the end of sign-in %i', async (last) => {
    let visits = 0;
    const given = await start(era, async (hub, { url }) => {
      expect((await visit(hub, String(url))).status).toBe(200);
      if (++visits === last) {
        const { status } = await admin(hub.hub, 'PUT', '/policies/later', { text: LATER });
        expect(status).toBeLessThan(300);
      }
      return 'accept';
    });
    if (last === 2) expect(await given.call('look')).not.toHaveProperty('isError');
    const outcome = await given.call('change').catch((error: unknown) => error);
    expect(outcome instanceof Error ? outcome.message : textOf(outcome)).toContain('forbidden by later/1');
    expect(given.upstream.served.map(({ tool }) => tool)).toEqual(last === 1 ? [] : ['look']);
    expect((await eventsOf(given.hub, 'call.refused')).at(-1)).toMatchObject({ error: 'policy_denied' });
  });

  test.each(['decline', 'cancel'])('whose user answers %s is told', async (action) => {
    const given = await start(era, async () => action);
    const outcome = await given.call();
    expect(outcome).toMatchObject({ isError: true });
    expect(textOf(outcome)).toContain('declined');
    expect(given.upstream.served).toEqual([]);
  });

  test('that cannot show an address is told what to do', async () => {
    const given = await start(era);
    const outcome = await given.call();
    expect(outcome).toMatchObject({ isError: true });
    expect(textOf(outcome)).toContain('crosspoint connector connect tracker --agent alice');
    expect(textOf(outcome)).toMatch(/\/oauth\/connect\/[\w-]{43}/);
  });

  test('O-13: is sent there again where more rights are needed, and the call is made with them', async () => {
    const given = await start(era, async (hub, { url }) => {
      expect((await visit(hub, String(url))).status).toBe(200);
      return 'accept';
    });
    expect(await given.call('look')).not.toHaveProperty('isError');
    expect(await given.call('change')).not.toHaveProperty('isError');
    expect(given.asked).toHaveLength(2);
    expect(given.upstream.served.map(({ tool }) => tool)).toEqual(['look', 'change']);
    const scopes = (await eventsOf(given.hub, 'account.connected')).at(-1)?.scopes;
    expect(scopes).toEqual(expect.arrayContaining(['read', 'write']));
    // An upstream that never has enough.
    for (const tool of ['look', 'change']) given.upstream.needs[tool] = ['admin'];
    given.provider.grants = ['read', 'write'];
    const refused = await given.call('look');
    expect(refused).toMatchObject({ isError: true });
    expect(given.asked.length).toBeLessThanOrEqual(4);
    const asked = given.asked.length;
    expect(textOf(await given.call('change'))).toContain('keeps asking');
    expect(given.asked).toHaveLength(asked);
  });
});

test('B1.12: a call that waits for more rights is not forbidden because of itself', async () => {
  const given = await start('legacy', async (hub, { url }) => {
    expect((await visit(hub, String(url))).status).toBe(200);
    return 'accept';
  });
  const text = `forbid(principal, action == Action::"call", resource) when { context.seen.contains("tickets") };`;
  expect((await admin(given.hub, 'PUT', '/policies/flow', { text })).status).toBeLessThan(300);
  expect(await given.call('change')).not.toHaveProperty('isError');
  expect(given.upstream.served.map(({ tool }) => tool)).toEqual(['change']);
  expect(textOf(await given.call('look').catch(String))).toContain('used before');
});

describe('the page', () => {
  test('G11: is for the agent it was made for, and for nobody else', async () => {
    const given = await start('modern', async () => 'cancel');
    await given.call();
    const url = String(given.asked[0]?.url);
    const before = given.provider.tokenCalls().length;
    const bob = await signIn(given.hub, BOB_KEY);
    const page = await bob.get(new URL(url).pathname);
    expect(page.status).toBe(403);
    const owner = await signIn(given.hub, given.hub.adminToken);
    expect((await owner.get(new URL(url).pathname)).status).toBe(200);
    const alice = await signIn(given.hub, ALICE_KEY);
    expect((await alice.post(new URL(url).pathname, { csrf: 'wrong' })).status).toBe(403);
    const foreign = await alice.post(
      new URL(url).pathname,
      { csrf: await alice.csrfOf(new URL(url).pathname) },
      {
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      },
    );
    expect(foreign.status).toBe(403);
    expect((await alice.get('/oauth/connect/nothing')).status).toBe(400);
    expect(given.provider.tokenCalls()).toHaveLength(before);
  });
});
