import { describe, expect, test } from 'vitest';
import { toConnectorId } from '../kernel/index.js';
import type { Connector } from './connector.js';
import { createConnectorDirectory } from './connector-directory.js';
import { parseConnector } from './parse-connector.js';

const configured = (id: string, input: object = {}, now = 0): Connector =>
  parseConnector(id, { url: 'http://127.0.0.1:1/mcp', ...input }, { source: 'file', now });
const stored = (id: string, version = 1): Connector => ({ ...configured(id), source: 'stored', version });

function setUp(rows: Connector[] = []) {
  const directory = createConnectorDirectory({
    // As a store does: a fresh object each time.
    list: async () => Promise.resolve(rows.map((row) => ({ ...row }))),
    find: async (id) => {
      const row = rows.find((one) => one.id === id);
      return Promise.resolve(row && { ...row });
    },
    add: () => Promise.reject(new Error('not here')),
    replace: () => Promise.reject(new Error('not here')),
    remove: () => Promise.reject(new Error('not here')),
  });
  return { directory, rows };
}

describe('connector directory', () => {
  test('an id in the configuration hides a stored one', async () => {
    const { directory } = setUp([stored('b'), stored('a')]);
    directory.configure([configured('b')]);
    expect((await directory.list()).map(({ id, source }) => [id, source])).toEqual([
      ['a', 'stored'],
      ['b', 'file'],
    ]);
    directory.configure([]);
    expect(await directory.find(toConnectorId('b'))).toMatchObject({ source: 'stored' });
  });

  test('a connector is the same object until it changes', async () => {
    const { directory, rows } = setUp([stored('a')]);
    const first = await directory.require(toConnectorId('a'));
    expect((await directory.list())[0]).toBe(first);
    rows[0] = stored('a', 2);
    expect(await directory.find(toConnectorId('a'))).not.toBe(first);
  });

  test('of a new configuration only what differs is told', () => {
    const { directory } = setUp();
    const same = { headers: { A: 'secret-one' } };
    directory.configure([configured('same', same), configured('other'), configured('gone')]);
    const { changed, removed } = directory.configure([
      configured('same', same, 99),
      configured('other', { timeouts: { requestMs: 5 } }),
      configured('new'),
    ]);
    expect(changed.map(({ id }) => id)).toEqual(['other', 'new']);
    expect(removed).toEqual(['gone']);
  });

  test('a secret that changed is a change, although it prints the same', () => {
    const { directory } = setUp();
    directory.configure([configured('c', { headers: { A: 'one' } })]);
    expect(directory.configure([configured('c', { headers: { A: 'two' } })]).changed).toHaveLength(1);
    expect(directory.configure([configured('c', { headers: { A: 'two' } })]).changed).toEqual([]);
  });

  test('one that does not exist is told so', async () => {
    await expect(setUp().directory.require(toConnectorId('nope'))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
