import { describe, expect, test } from 'vitest';
import { toConnectorId } from '../../src/kernel/index.js';
import {
  exampleConnector,
  exampleCredential,
  exampleGrant,
  masterKeys,
  ofAgent,
  otherKey,
  shared,
} from './examples.js';
import type { Places, StorePlace } from './store-place.js';
import { CANARIES, contentsOf, fill } from './whole-store.js';

const TABLES = [
  'schema_migrations',
  'settings',
  'data_keys',
  'connectors',
  'agents',
  'agent_keys',
  'credentials',
  'snapshots',
  'snapshot_history',
  'policies',
  'oauth_clients',
  'admins',
  'tickets',
  'hub_instances',
  'events',
];

async function rowsOf(place: StorePlace): Promise<string> {
  const rows = await Promise.all(TABLES.map((table) => place.execute(`select * from ${table}`)));
  return JSON.stringify(rows);
}

async function filled(places: Places): Promise<StorePlace> {
  const place = await places.create();
  const storage = await place.open();
  await fill(storage);
  await storage.close();
  return place;
}

export function secretsContract(places: Places): void {
  describe('secrets', () => {
    sealingContract(places);
  });
  describe('master keys', () => {
    masterKeyContract(places);
  });
  describe('rotation', () => {
    rotationContract(places);
  });
}

function sealingContract(places: Places): void {
  test('B5.2: no row holds a secret in clear', async () => {
    const rows = await rowsOf(await filled(places));
    for (const canary of CANARIES) expect(rows).not.toContain(canary);
    expect(rows).toContain('hub-1');
  });

  test('B5.2: a sealed value does not open in another row', async () => {
    const place = await places.create();
    const storage = await place.open();
    await storage.credentials.save(exampleCredential('a', shared, { token: 'of a' }));
    await storage.credentials.save(exampleCredential('b', shared, { token: 'of b' }));
    await storage.credentials.save(exampleCredential('b', ofAgent('x'), { token: 'of x' }));
    await storage.connectors.add(exampleConnector('a'));
    await storage.connectors.add(exampleConnector('b'));
    await storage.close();

    const [stolen] = await place.execute(`select sealed from credentials where connector_id = 'a'`);
    await place.execute(
      `update credentials set sealed = ? where connector_id = 'b'`,
      String(stolen?.['sealed']),
    );
    await place.execute(
      `update connectors set sealed = (select sealed from connectors where id = 'a') where id = 'b'`,
    );

    const opened = await place.open();
    const altered = { code: 'internal', details: { table: 'credentials' } };
    await expect(opened.credentials.find(toConnectorId('b'), shared)).rejects.toMatchObject(altered);
    await expect(opened.credentials.find(toConnectorId('b'), ofAgent('x'))).rejects.toMatchObject(altered);
    await expect(opened.connectors.find(toConnectorId('b'))).rejects.toMatchObject({
      code: 'internal',
      details: { table: 'connectors', record: 'b' },
    });
    expect(await opened.credentials.find(toConnectorId('a'), shared)).toBeDefined();
    // What cannot be read can still be replaced or removed.
    await opened.connectors.remove(toConnectorId('b'));
    expect(await opened.connectors.list()).toHaveLength(1);
  });

  test('B5.2: tokens open in their account and beside their grant only', async () => {
    const place = await places.create();
    const storage = await place.open();
    const granted = { ...exampleCredential('a', shared, { access_token: 'of a' }), grant: exampleGrant };
    await storage.credentials.save(granted);
    await storage.credentials.save({ ...granted, account: 'work', isDefault: false });
    await storage.close();
    const [work] = await place.execute(`select sealed from credentials where account = 'work'`);
    await place.execute(
      `update credentials set sealed = ? where account = 'default'`,
      String(work?.['sealed']),
    );
    await place.execute(
      `update credentials set detail = ? where account = 'work'`,
      JSON.stringify({ ...exampleGrant, issuer: 'https://evil.example' }),
    );
    const opened = await place.open();
    const altered = { code: 'internal', details: { table: 'credentials' } };
    const a = toConnectorId('a');
    await expect(opened.credentials.find(a, shared)).rejects.toMatchObject(altered);
    await expect(opened.credentials.find(a, shared, 'work')).rejects.toMatchObject(altered);
    expect(await opened.credentials.remove(a, shared)).toBe(true);
  });

  test('B5.2: an altered value does not open', async () => {
    const place = await places.create();
    const storage = await place.open();
    await storage.credentials.save(exampleCredential('a', shared, { token: 'a value' }));
    await storage.close();
    const [row] = await place.execute('select sealed from credentials');
    const sealed = String(row?.['sealed']);
    const at = sealed.length - 5;
    const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    for (const text of [
      altered,
      sealed.slice(0, -8),
      'cp1.first.',
      'a value',
      `cp1.other.${sealed.split('.')[2] ?? ''}`,
    ]) {
      await place.execute('update credentials set sealed = ?', text);
      const opened = await place.open();
      await expect(opened.credentials.find(toConnectorId('a'), shared)).rejects.toMatchObject({
        code: 'internal',
      });
      await opened.close();
    }
  });
}

function masterKeyContract(places: Places): void {
  test.each([
    ['another key of the same id', { active: { id: 'first', key: otherKey.key } }],
    ['a key of another id', { active: otherKey }],
    ['the right key under another id', { active: { id: 'renamed', key: masterKeys.active.key } }],
    [
      'a new active key with a wrong old one',
      { active: otherKey, retired: [{ id: 'first', key: otherKey.key }] },
    ],
  ])('B0.3: %s refuses the store and changes nothing', async (_, keys) => {
    const place = await filled(places);
    const before = await rowsOf(place);
    await expect(place.open({ masterKeys: keys })).rejects.toMatchObject({ code: 'config_invalid' });
    expect(await rowsOf(place)).toBe(before);
    const storage = await place.open();
    expect(await storage.connectors.list()).toHaveLength(3);
  });

  test('keys of a wrong size, with a bad id, or twice are refused', async () => {
    const place = await places.create();
    const { active } = masterKeys;
    for (const keys of [
      { active: { id: 'a', key: Buffer.alloc(31) } },
      { active: { id: 'a.b', key: active.key } },
      { active: { id: '', key: active.key } },
      { active, retired: [active] },
    ]) {
      await expect(place.open({ masterKeys: keys })).rejects.toMatchObject({ code: 'config_invalid' });
    }
  });
}

function rotationContract(places: Places): void {
  const both = { active: otherKey, retired: [masterKeys.active] };

  test('seals everything with the new key, and the old one is no longer needed', async () => {
    const place = await filled(places);
    const storage = await place.open({ masterKeys: both });
    const before = await contentsOf(storage);
    const progress: number[] = [];
    expect(await storage.rotateSecrets({ onProgress: (done) => progress.push(done) })).toEqual({
      resealed: 9,
      unreadable: [],
    });
    expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await contentsOf(storage)).toEqual(before);
    expect(await storage.rotateSecrets()).toEqual({ resealed: 0, unreadable: [] });
    await storage.close();

    await expect(place.open()).rejects.toMatchObject({ code: 'config_invalid' });
    const opened = await place.open({ masterKeys: { active: otherKey } });
    expect(await contentsOf(opened)).toEqual(before);
  });

  test('F9: stopped in the middle every record is readable, and the next run does the rest', async () => {
    const place = await filled(places);
    const storage = await place.open({ masterKeys: both });
    const before = await contentsOf(storage);
    const stop = new AbortController();
    const stopped = storage.rotateSecrets({
      signal: stop.signal,
      onProgress: (done) => done === 2 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(await contentsOf(storage)).toEqual(before);
    await storage.close();
    // Some records still need the old key.
    await expect(place.open({ masterKeys: { active: otherKey } })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    const opened = await place.open({ masterKeys: both });
    expect(await opened.rotateSecrets()).toEqual({ resealed: 7, unreadable: [] });
    expect(await contentsOf(opened)).toEqual(before);
  });

  test('records change while it runs', async () => {
    const place = await places.create();
    const first = await place.open();
    for (let index = 0; index < 30; index++)
      await first.credentials.save(exampleCredential(`c${index}`, shared, { token: `old ${index}` }));
    await first.close();
    const storage = await place.open({ masterKeys: both });
    const rotation = storage.rotateSecrets();
    // From the end, to be there before the rotation is.
    for (let index = 28; index >= 0; index -= 2)
      await storage.credentials.save(exampleCredential(`c${index}`, shared, { token: `new ${index}` }, 2));
    await rotation;
    for (let index = 0; index < 30; index++) {
      const found = await storage.credentials.find(toConnectorId(`c${index}`), shared);
      expect(found?.values['token']?.reveal()).toBe(`${index % 2 === 0 ? 'new' : 'old'} ${index}`);
    }
    await storage.close();
    await place.open({ masterKeys: { active: otherKey } });
  });

  test('a record nobody can read is named, and its key is still asked for', async () => {
    const place = await filled(places);
    await place.execute(`update connectors set sealed = 'cp1.first.AAAA' where id = 'child'`);
    const storage = await place.open({ masterKeys: both });
    expect(await storage.rotateSecrets()).toEqual({
      resealed: 8,
      unreadable: [{ table: 'connectors', record: 'child', field: 'sealed' }],
    });
    await storage.close();
    await expect(place.open({ masterKeys: { active: otherKey } })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
}
