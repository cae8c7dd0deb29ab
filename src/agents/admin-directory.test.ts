import { expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import type { AdminAccount } from './admin-account.js';
import { createAdminAccount, createAdminDirectory } from './admin-directory.js';
import { digestKey } from './authenticator.js';

const account = (id: string, role: AdminAccount['role'] = 'viewer', token = `token-of-${id}`): AdminAccount =>
  createAdminAccount({ id, name: id, role, now: 1, token: new Secret(token) }).account;

function open(stored: readonly AdminAccount[]) {
  return createAdminDirectory({
    store: {
      list: () => Promise.resolve(stored),
      find: (id) => Promise.resolve(stored.find((each) => each.id === id)),
      findByTokenDigest: (digest) => Promise.resolve(stored.find((each) => each.tokenDigest === digest)),
    },
    hubToken: new Secret('the-hubs-own-token'),
    now: 7,
  });
}

const digestOf = (id: string): string => digestKey(`token-of-${id}`);

test("whoever holds the hub's own token is an owner, whatever is stored", async () => {
  const directory = open([account('admin', 'viewer')]);
  const own = await directory.findByTokenDigest(digestKey('the-hubs-own-token'));
  expect(own).toMatchObject({ id: 'admin', role: 'owner', source: 'built_in', createdAt: 7 });
  expect(own?.name).not.toBe('');
  expect(await directory.find('admin')).toEqual(own);
  expect(await directory.findByTokenDigest(digestOf('admin'))).toBeUndefined();
  expect(await directory.list()).toEqual([own]);
});

test('an account of the configuration hides a stored one, with its token', async () => {
  const directory = open([account('zoe'), account('bert', 'owner', 'an-old-token')]);
  directory.configure([account('bert'), account('admin'), account('anna')]);
  const listed = (await directory.list()).map(({ id, source, role }) => `${id} ${source} ${role}`);
  expect(listed).toEqual([
    'admin built_in owner',
    'anna file viewer',
    'bert file viewer',
    'zoe stored viewer',
  ]);
  expect(await directory.find('bert')).toMatchObject({ source: 'file' });
  expect(await directory.findByTokenDigest(digestOf('bert'))).toMatchObject({ id: 'bert', source: 'file' });
  expect(await directory.findByTokenDigest(digestKey('an-old-token'))).toBeUndefined();
  expect(await directory.findByTokenDigest(digestOf('zoe'))).toMatchObject({ id: 'zoe', source: 'stored' });
  expect(await directory.find('nobody')).toBeUndefined();
  directory.configure([]);
  expect(await directory.findByTokenDigest(digestOf('bert'))).toBeUndefined();
  expect(await directory.findByTokenDigest(digestKey('an-old-token'))).toMatchObject({ role: 'owner' });
});

test('a new account has a new token, of which only the digest is kept', () => {
  const made = [1, 2].map(() => createAdminAccount({ id: 'a', name: 'A', role: 'viewer', now: 3 }));
  const [one, two] = made.map(({ token }) => token.reveal());
  expect(one).toMatch(/^cpa_[\w-]{43}$/);
  expect(one).not.toBe(two);
  expect(made[0]?.account).toEqual({
    id: 'a',
    name: 'A',
    role: 'viewer',
    createdAt: 3,
    last4: one?.slice(-4),
    tokenDigest: digestKey(one ?? ''),
  });
});
