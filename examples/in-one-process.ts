import { connect } from 'crosspoint/client';
import { createMcpServer, serveChannel } from 'crosspoint/server';
import { createMemoryPair } from 'crosspoint/transports';

const server = createMcpServer({
  describe: { info: { name: 'shouting', version: '1.0.0' }, capabilities: { tools: {} } },
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'shout', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ params }) => {
      const { text } = params['arguments'] as { text: string };
      return { content: [{ type: 'text', text: text.toUpperCase() }] };
    },
  },
});

const pair = createMemoryPair();
serveChannel(server, pair.server, 'test');
await using client = await connect({ transport: pair.client, info: { name: 'test', version: '1.0.0' } });

const { content } = await client.callTool('shout', { text: 'no network needed' });
console.log(content[0]?.['text']);
await server.close();
