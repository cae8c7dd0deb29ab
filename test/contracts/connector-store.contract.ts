import { expect, test } from 'vitest';
import type { Connector, ConnectorStore } from '../../src/connectors/index.js';
import { Secret, toConnectorId } from '../../src/kernel/index.js';
import { exampleConnector, HOSTILE_IDS, HOSTILE_TEXTS, LARGEST, reveal, UNSTORABLE_IDS } from './examples.js';

const secret = (text: string) => new Secret(text);

const SHAPES: Readonly<Record<string, Partial<Connector>>> = {
  'plain HTTP': {},
  'an old SSE address': { endpoint: { transport: 'sse', url: 'https://mcp.example.com/sse?key=in-the-url' } },
  stdio: {
    endpoint: {
      transport: 'stdio',
      command: 'node',
      args: ['server.mjs', '--token=in-the-arguments'],
      env: { TOKEN: secret('t'), __proto__x: secret('u') },
      cwd: '/srv',
      pins: { node: 'a'.repeat(64), './server.mjs': 'b'.repeat(64) },
      idleStopMs: 5,
      maxLifetimeMs: 2,
    },
  },
  'stdio without folder or environment': {
    endpoint: {
      transport: 'stdio',
      command: 'x',
      args: [],
      env: {},
      cwd: undefined,
      pins: {},
      idleStopMs: 1,
      maxLifetimeMs: 2,
    },
  },
  bearer: { auth: { type: 'bearer', token: secret('bearer') } },
  'bearer from the vault': { auth: { type: 'bearer', token: undefined } },
  'API key': { auth: { type: 'api_key', header: 'X-Key', value: secret('key') } },
  'API key from the vault': { auth: { type: 'api_key', header: 'X-Key', value: undefined } },
  headers: { auth: { type: 'header', headers: ['A', 'B'], values: { A: secret('a') } } },
  OAuth: {
    auth: {
      type: 'oauth',
      settings: {
        clientId: 'id',
        clientSecret: secret('s'),
        scopes: ['a', 'b'],
        privateKey: secret('d'),
        authorizationParameters: { prompt: 'consent' },
      },
    },
  },
  'the largest numbers': { version: LARGEST, createdAt: LARGEST, updatedAt: LARGEST },
};

export function connectorStoreContract(open: () => Promise<ConnectorStore>): void {
  test.each(Object.entries(SHAPES))('a saved connector is found again, unchanged: %s', async (_, shape) => {
    const store = await open();
    const connector = exampleConnector('linear', shape);
    await store.add(connector);
    const found = await store.find(connector.id);
    expect(found).toStrictEqual(connector);
    expect(reveal(found)).toStrictEqual(reveal(connector));
    expect(reveal(await store.list())).toStrictEqual([reveal(connector)]);
  });

  test('B5.1: any text in any field comes back', async () => {
    const store = await open();
    const connectors = HOSTILE_IDS.map((id) => exampleConnector(id));
    for (const text of HOSTILE_TEXTS) {
      connectors.push(
        exampleConnector(`text-${connectors.length}`, {
          name: text,
          tags: [text],
          toolTags: Object.fromEntries([[text, [text]]]),
          prompts: [
            {
              name: text,
              title: text,
              description: text,
              text,
              tools: [text],
              arguments: [{ name: text, description: text }],
            },
          ],
          endpoint: {
            transport: 'stdio',
            command: text,
            args: [text],
            env: Object.fromEntries([[text, secret(text)]]),
            cwd: text,
            pins: Object.fromEntries([[text, text]]),
            idleStopMs: 1,
            maxLifetimeMs: 2,
          },
          auth: { type: 'header', headers: [text], values: Object.fromEntries([[text, secret(text)]]) },
        }),
      );
    }
    for (const connector of connectors) await store.add(connector);
    for (const connector of connectors)
      expect(reveal(await store.find(connector.id))).toStrictEqual(reveal(connector));
    expect(await store.list()).toHaveLength(connectors.length);
    for (const { id } of connectors) await store.remove(id);
    expect(await store.list()).toEqual([]);
  });

  test('an id that could not be stored as it is is refused', async () => {
    const store = await open();
    for (const id of UNSTORABLE_IDS) {
      await expect(store.add(exampleConnector(id))).rejects.toMatchObject({ code: 'invalid_request' });
      await expect(store.find(toConnectorId(id))).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  test('an id exists once', async () => {
    const store = await open();
    await store.add(exampleConnector('a'));
    await expect(store.add(exampleConnector('a', { name: 'other' }))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await store.find(toConnectorId('a')))?.name).toBe('Linear');
    await store.add(exampleConnector('A'));
    expect((await store.list()).map(({ id }) => id)).toEqual(['A', 'a']);
  });

  test('a connector is replaced only by who knows its version', async () => {
    const store = await open();
    await store.add(exampleConnector('a'));
    const second = exampleConnector('a', {
      name: 'second',
      version: 2,
      auth: { type: 'bearer', token: secret('new') },
    });
    await store.replace(second, 1);
    expect(reveal(await store.find(second.id))).toStrictEqual(reveal(second));
    await expect(store.replace(exampleConnector('a', { name: 'late', version: 2 }), 1)).rejects.toMatchObject(
      { code: 'precondition_failed' },
    );
    expect(reveal(await store.find(second.id))).toStrictEqual(reveal(second));
    await expect(store.replace(exampleConnector('none', { version: 2 }), 1)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('of two who replace at once, one succeeds', async () => {
    const store = await open();
    await store.add(exampleConnector('a'));
    const attempts = Array.from({ length: 8 }, (_, index) =>
      store.replace(exampleConnector('a', { name: `by ${index}`, version: 2 }), 1),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'precondition_failed' });
  });

  test('a removed connector is gone, and removing it again is no error', async () => {
    const store = await open();
    await store.add(exampleConnector('a'));
    await store.remove(toConnectorId('a'));
    await store.remove(toConnectorId('a'));
    expect(await store.find(toConnectorId('a'))).toBeUndefined();
    await store.add(exampleConnector('a'));
  });
}
