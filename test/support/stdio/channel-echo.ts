// A server on our own side of stdio: answers every request with the request itself.
import { createStdioChannel } from '../../../src/mcp/transports/index.js';

const channel = createStdioChannel();
channel.onMessage((text) => {
  const request = JSON.parse(text) as { id: number };
  void channel.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: request }));
});
channel.onClose(() => {
  process.stderr.write('closed\n');
  void channel.close();
});
