import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FormBrowser } from '../support/sign-in.js';
import { Workplace } from './workplace.js';

let place: Workplace;
let url: string;
beforeAll(async () => {
  place = await Workplace.open();
  ({ url } = await place.serve());
});
afterAll(() => place?.close());

/** Who the hub says one is. */
async function whoIs(browser: FormBrowser): Promise<unknown> {
  const answer = await browser.get('/api/v1/session');
  const { admin } = (await answer.json()) as { readonly admin?: unknown };
  return answer.status === 200 ? admin : undefined;
}

describe('admins', () => {
  let token: string;
  const as = (secret: string) => ({ env: { CROSSPOINT_ADMIN_TOKEN: secret } });

  test('add prints the token once, alone on stdout, and it opens what its role may do', async () => {
    const added = await place.run(['admin', 'add', 'ana', '--name', 'Ana', '--role', 'operator']);
    token = added.stdout.trim();
    expect([added.code, added.stdout]).toEqual([0, `${token}\n`]);
    expect(added.stderr).toContain('This is the token of ana (operator). It is not shown again.');
    expect(await place.run(['connector', 'sync', 'sample'], as(token))).toMatchObject({ code: 0 });
    expect(await place.run(['admin', 'add', 'eve', '--role', 'owner'], as(token))).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  test('without a role it is a viewer, who changes nothing', async () => {
    const made = await place.json<{ token: string }>(['admin', 'add', 'wall']);
    expect(made).toMatchObject({ id: 'wall', role: 'viewer' });
    expect(await place.run(['connector', 'list'], as(made.token))).toMatchObject({ code: 0 });
    expect(await place.run(['connector', 'sync', 'sample'], as(made.token))).toMatchObject({ code: 1 });
  });

  test.each([
    [['admin', 'add', 'ana'], 1, 'ana'],
    [['admin', 'add', 'other', '--role', 'king'], 2, 'king'],
    [['admin', 'remove', 'nobody'], 1, 'admin'],
  ])('%j ends with %d', async (args, code, word) => {
    expect(await place.run(args)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(word) as string,
    });
  });

  test('list shows who there is, and of a token only its end', async () => {
    const { stdout } = await place.run(['admin', 'list']);
    expect(stdout).toMatch(new RegExp(`^ana +Ana +operator +stored +…${token.slice(-4)} +\\S`, 'm'));
    expect(stdout).toMatch(/^wall +\S+ +viewer +stored/m);
    expect(stdout).not.toContain(token);
    const all = await place.json<{ id: string }[]>(['admin', 'list']);
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(['ana', 'wall']));
  });

  test('remove ends the token and the sessions at once', async () => {
    const browser = new FormBrowser({ url });
    expect((await browser.post('/sign-in', { secret: token })).status).toBe(303);
    expect(await whoIs(browser)).toEqual({ id: 'ana', role: 'operator' });
    expect(await place.run(['admin', 'remove', 'ana'])).toMatchObject({
      code: 0,
      stdout: 'Removed the admin ana.\n',
    });
    expect(await place.run(['connector', 'list'], as(token))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('did not accept the token') as string,
    });
    expect(await whoIs(browser)).toBeUndefined();
  });
});

describe('sign-in-link', () => {
  test('prints a link that signs one browser in, once', async () => {
    const { code, stdout, stderr } = await place.run(['sign-in-link']);
    const link = new URL(stdout.trim());
    expect([code, link.origin, link.pathname]).toEqual([0, url, '/sign-in']);
    expect(stderr).toContain('It works once, until ');
    const secret = link.searchParams.get('code') ?? '';
    const browser = new FormBrowser({ url });
    // Whoever only looks at the link, as mail programs do, does not use it up.
    expect((await browser.get(link.pathname + link.search)).status).toBe(200);
    expect((await browser.post('/sign-in', { code: secret })).status).toBe(303);
    expect(await whoIs(browser)).toEqual({ id: 'admin', role: 'owner' });
    expect((await new FormBrowser({ url }).post('/sign-in', { code: secret })).status).toBe(401);
  });

  test('is for whose token is used', async () => {
    const { token } = await place.json<{ token: string }>(['admin', 'add', 'vera', '--role', 'operator']);
    const env = { CROSSPOINT_ADMIN_TOKEN: token };
    const { url: link } = await place.json<{ url: string }>(['sign-in-link'], { env });
    const browser = new FormBrowser({ url });
    await browser.post('/sign-in', { code: new URL(link).searchParams.get('code') ?? '' });
    expect(await whoIs(browser)).toEqual({ id: 'vera', role: 'operator' });
  });
});
