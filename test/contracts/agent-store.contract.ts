import { expect, test } from 'vitest';
import type { AgentStore } from '../../src/agents/index.js';
import { toAgentId, toKeyId } from '../../src/kernel/index.js';
import { exampleAgent, exampleKey, HOSTILE_IDS, HOSTILE_TEXTS, LARGEST } from './examples.js';

export function agentStoreContract(open: () => Promise<AgentStore>): void {
  test('a saved agent is found again, unchanged', async () => {
    const store = await open();
    const agent = exampleAgent('ci', { createdAt: LARGEST, version: LARGEST, enabled: false });
    await store.add(agent);
    expect(await store.find(agent.id)).toStrictEqual(agent);
    expect(await store.list()).toStrictEqual([agent]);
    expect(await store.find(toAgentId('none'))).toBeUndefined();
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    const agents = [
      ...HOSTILE_IDS.map((id) => exampleAgent(id)),
      ...HOSTILE_TEXTS.map((text, index) => exampleAgent(`t${index}`, { name: text, tags: [text] })),
    ];
    for (const agent of agents) await store.add(agent);
    for (const agent of agents) expect(await store.find(agent.id)).toStrictEqual(agent);
    for (const id of HOSTILE_IDS) {
      const key = exampleKey(id, id, { digest: `digest ${id}`, last4: id.slice(0, 4) });
      await store.addKey(key);
      expect(await store.findByKeyDigest(key.digest)).toStrictEqual({ agent: exampleAgent(id), key });
      expect(await store.removeKey(key.agentId, key.id)).toBe(true);
    }
  });

  test('an id exists once', async () => {
    const store = await open();
    await store.add(exampleAgent());
    await expect(store.add(exampleAgent())).rejects.toMatchObject({ code: 'conflict' });
  });

  test('an agent is replaced only by who knows its version', async () => {
    const store = await open();
    await store.add(exampleAgent());
    await store.replace(exampleAgent('ci', { enabled: false, version: 2 }), 1);
    await expect(store.replace(exampleAgent('ci', { version: 2 }), 1)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(store.replace(exampleAgent('none'), 1)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.find(toAgentId('ci'))).toMatchObject({ enabled: false, version: 2 });
  });

  test('a key leads to its agent until it is removed', async () => {
    const store = await open();
    await store.add(exampleAgent('a'));
    await store.add(exampleAgent('b'));
    const key = exampleKey('k1', 'a', { expiresAt: LARGEST });
    await store.addKey(key);
    await store.addKey(exampleKey('k2', 'a'));
    expect(await store.findByKeyDigest(key.digest)).toStrictEqual({ agent: exampleAgent('a'), key });
    expect(await store.listKeys(toAgentId('a'))).toStrictEqual([key, exampleKey('k2', 'a')]);
    expect(await store.listKeys(toAgentId('b'))).toEqual([]);
    expect(await store.findByKeyDigest('unknown')).toBeUndefined();
    expect(await store.removeKey(toAgentId('b'), toKeyId('k1'))).toBe(false);
    expect(await store.removeKey(toAgentId('a'), toKeyId('k1'))).toBe(true);
    expect(await store.removeKey(toAgentId('a'), toKeyId('k1'))).toBe(false);
    expect(await store.findByKeyDigest(key.digest)).toBeUndefined();
  });

  test('a key has one id, one digest and an agent that exists', async () => {
    const store = await open();
    await store.add(exampleAgent());
    await store.addKey(exampleKey('k1'));
    await expect(store.addKey(exampleKey('k1', 'ci', { digest: 'other' }))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(
      store.addKey(exampleKey('k2', 'ci', { digest: exampleKey('k1').digest })),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(store.addKey(exampleKey('k3', 'nobody'))).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.listKeys(toAgentId('ci'))).toHaveLength(1);
  });

  test('with an agent its keys go', async () => {
    const store = await open();
    await store.add(exampleAgent());
    await store.addKey(exampleKey('k1'));
    await store.remove(toAgentId('ci'));
    await store.remove(toAgentId('ci'));
    expect(await store.findByKeyDigest(exampleKey('k1').digest)).toBeUndefined();
    await store.add(exampleAgent());
    expect(await store.listKeys(toAgentId('ci'))).toEqual([]);
  });
}
