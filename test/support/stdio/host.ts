// A program that opens a transport and then ends in the way its first argument says, without closing anything. The
// remaining arguments are the peer. Prints the peer's first message.
import { StdioTransport } from '../../../src/mcp/transports/index.js';

const [, , ending, ...args] = process.argv;
const transport = new StdioTransport({ command: process.execPath, args });
await transport.start({
  closed: () => {},
  warn: () => {},
  message: (message) => {
    process.stdout.write(`${JSON.stringify(message)}\n`, () => {
      if (ending === 'throw') throw new Error('on purpose');
      process.exit(0);
    });
  },
});
