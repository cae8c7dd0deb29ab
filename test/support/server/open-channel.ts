import {
  createMcpServer,
  createNotifier,
  serveChannel,
  type Handler,
  type ServerEvent,
  type ServerOptions,
} from '../../../src/mcp/server/index.js';
import { DESCRIPTION } from './harness.js';
import { TestChannel } from './test-channel.js';

/** A server at the other end of a channel whose principal is `alice`. */
export function openChannel(options: Partial<ServerOptions> & { call?: Handler } = {}) {
  const { call, ...rest } = options;
  const channel = new TestChannel();
  const notifier = createNotifier();
  const events: ServerEvent[] = [];
  const server = createMcpServer({
    describe: DESCRIPTION,
    listen: notifier.listen,
    onEvent: (event) => events.push(event),
    ...rest,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call':
        call ?? (({ params, principal }) => ({ content: [], got: params['arguments'], principal })),
    },
  });
  const served = serveChannel(server, channel, 'alice');
  return { channel, notifier, server, served, events };
}
