import { afterEach, describe, expect, test } from 'vitest';
import { connect, type ConnectOptions, type McpClient } from '../../src/mcp/client/index.js';
import { FIXTURE_ARGUMENTS, FIXTURE_COMMAND, startFixture } from './start-fixture.js';

const INFO = { name: 'fixture-test', version: '1.0.0' };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function open(options: ConnectOptions): Promise<McpClient> {
  const client = await connect(options);
  closing.push(() => client.close());
  return client;
}

async function openHttp(served: string, era: ConnectOptions['era']): Promise<McpClient> {
  const fixture = await startFixture(['--era', served]);
  closing.push(() => fixture.close());
  return await open({ url: fixture.url, era, info: INFO });
}

describe('the fixture server', () => {
  test.each<[string, ConnectOptions['era'], string]>([
    ['both', 'auto', 'modern'],
    ['both', 'legacy', 'legacy'],
    ['legacy', 'auto', 'legacy'],
    ['modern', 'auto', 'modern'],
  ])('serves %s over HTTP to a client that wants %s', async (served, era, found) => {
    const client = await openHttp(served, era);
    expect(client.server.era).toBe(found);
    expect(await client.callTool('test_simple_text', {})).toMatchObject({
      content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
    });
  });

  test('refuses the handshake when it serves the modern era only', async () => {
    await expect(openHttp('modern', 'legacy')).rejects.toMatchObject({ code: -32022 });
  });

  test.each<[ConnectOptions['era']]>([['legacy'], ['modern']])('serves %s over stdio', async (era) => {
    const client = await open({
      command: FIXTURE_COMMAND,
      args: [...FIXTURE_ARGUMENTS, '--stdio'],
      era,
      info: INFO,
    });
    const { items } = await client.listTools();
    expect(items.map((tool) => tool.name)).toContain('test_simple_text');
  });
});
