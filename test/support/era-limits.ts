import type { RequestListener } from 'node:http';
import type { MessageChannel } from '../../src/mcp/transports/index.js';
import { isModernRevision, META_REVISION } from '../../src/mcp/wire/index.js';

/** What servers do that were written before the modern era: they refuse a version they have never heard of. */
export function withoutModernEra(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (!isModernRevision(request.headers['mcp-protocol-version'])) {
      listener(request, response);
      return;
    }
    const error = { code: -32000, message: 'Bad Request: Unsupported protocol version' };
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  };
}

/** The same over a pipe: a request that carries a version of its own is for a method they do not know. */
export function withoutModernMethods(channel: MessageChannel): MessageChannel {
  return {
    send: (text) => channel.send(text),
    onClose: (handler) => channel.onClose(handler),
    close: () => channel.close(),
    onMessage: (handler) =>
      channel.onMessage((text) => {
        if (!text.includes(`"${META_REVISION}"`)) {
          handler(text);
          return;
        }
        const { id } = JSON.parse(text) as { readonly id?: string | number };
        const error = { code: -32601, message: 'Method not found' };
        if (id !== undefined) void channel.send(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }),
  };
}
