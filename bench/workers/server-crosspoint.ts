import { createMcpServer, createNodeServer, toNodeListener } from '../../src/mcp/server/index.js';
import { echo, ECHO_TOOL, TOOL } from './call.js';
import { listenForBench } from './listen.js';

const server = createMcpServer({
  describe: { info: { name: 'bench', version: '1.0.0' }, capabilities: { tools: {} } },
  handlers: {
    'tools/list': () => ({ tools: [ECHO_TOOL] }),
    'tools/call': ({ params }) => {
      if (params['name'] !== TOOL) throw new Error('unknown tool');
      return echo((params['arguments'] as { readonly text?: unknown } | undefined)?.text);
    },
  },
});

listenForBench(createNodeServer(toNodeListener(server)));
