import { describe, expect, test } from 'vitest';
import { toAgentId } from '../kernel/index.js';
import type { Agent, AgentKey, AgentStore } from './agent.js';
import { createAgentDirectory } from './agent-directory.js';
import { createAgentKey } from './agent-key.js';

const agent = (id: string, source: Agent['source'], name = source): Agent => ({
  id: toAgentId(id),
  name,
  enabled: true,
  tags: [],
  source,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
});
const keyOf = (id: string): AgentKey => createAgentKey({ agentId: toAgentId(id), now: 0 }).key;

function setUp() {
  const storedKey = keyOf('both');
  const stored = [agent('both', 'stored'), agent('alice', 'stored')];
  const read = (one: Agent | undefined): Agent | undefined => one && { ...one, tags: [...one.tags] };
  const store: AgentStore = {
    list: async () => Promise.resolve(stored),
    find: async (id) => Promise.resolve(read(stored.find((one) => one.id === id))),
    listKeys: async (id) => Promise.resolve(id === storedKey.agentId ? [storedKey] : []),
    findByKeyDigest: async (digest) =>
      Promise.resolve(digest === storedKey.digest ? { agent: read(stored[0])!, key: storedKey } : undefined),
    add: () => Promise.reject(new Error('not here')),
    replace: () => Promise.reject(new Error('not here')),
    remove: () => Promise.reject(new Error('not here')),
    addKey: () => Promise.reject(new Error('not here')),
    removeKey: () => Promise.reject(new Error('not here')),
  };
  const directory = createAgentDirectory(store);
  const configuredKey = keyOf('both');
  directory.configure([
    { agent: agent('both', 'file'), keys: [configuredKey] },
    { agent: agent('zoe', 'file'), keys: [] },
  ]);
  return { directory, stored, storedKey, configuredKey };
}

describe('agent directory', () => {
  test('an agent of the configuration hides a stored one', async () => {
    const { directory } = setUp();
    expect((await directory.list()).map(({ id, source }) => [id, source])).toEqual([
      ['alice', 'stored'],
      ['both', 'file'],
      ['zoe', 'file'],
    ]);
    expect(await directory.find(toAgentId('both'))).toMatchObject({ source: 'file' });
  });

  test('keys of both are its keys, and lead to the agent as configured', async () => {
    const { directory, storedKey, configuredKey } = setUp();
    expect(await directory.listKeys(toAgentId('both'))).toEqual([configuredKey, storedKey]);
    for (const { digest } of [storedKey, configuredKey])
      expect(await directory.findByKeyDigest(digest)).toMatchObject({
        agent: { id: 'both', source: 'file' },
      });
  });

  test('a stored one is the same object by its id and by its key, until something about it changes', async () => {
    const { directory, stored, storedKey } = setUp();
    directory.configure([]);
    const id = toAgentId('both');
    const first = await directory.find(id);
    expect(await directory.find(id)).toBe(first);
    expect((await directory.findByKeyDigest(storedKey.digest))?.agent).toBe(first);
    for (const change of [{ version: 2 }, { updatedAt: 1 }, { tags: ['x'] }, { enabled: false }]) {
      const before = await directory.find(id);
      stored[0] = { ...stored[0]!, ...change };
      const after = await directory.find(id);
      expect(after).not.toBe(before);
      expect(after).toMatchObject(change);
    }
  });

  test('what the configuration no longer names is gone, keys included', async () => {
    const { directory, configuredKey } = setUp();
    directory.configure([]);
    expect(await directory.findByKeyDigest(configuredKey.digest)).toBeUndefined();
    await expect(directory.require(toAgentId('zoe'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await directory.require(toAgentId('both'))).toMatchObject({ source: 'stored' });
  });

  test('of two configured with one id the later counts, and the keys of both lead to it', async () => {
    const { directory } = setUp();
    const builtInKey = keyOf('local');
    const off = { ...agent('local', 'file'), enabled: false };
    directory.configure([
      { agent: agent('local', 'built_in'), keys: [builtInKey] },
      { agent: off, keys: [] },
    ]);
    expect(await directory.find(toAgentId('local'))).toEqual(off);
    expect(await directory.listKeys(toAgentId('local'))).toEqual([builtInKey]);
    expect((await directory.findByKeyDigest(builtInKey.digest))?.agent).toEqual(off);
  });
});
