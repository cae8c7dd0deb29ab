import { ClientError, connect, ProtocolError, type McpClient } from 'crosspoint/client';
import { TransportError } from 'crosspoint/transports';

const [url = 'http://127.0.0.1:8080/mcp'] = process.argv.slice(2);

/** What went wrong, and what to do about it. */
function explain(error: unknown): string {
  // The server's own error: it got the request and refused it.
  if (error instanceof ProtocolError) return `the server says ${error.code}: ${error.message}`;
  if (error instanceof ClientError || error instanceof TransportError) {
    const again = error.mayHaveArrived ? 'the call may have run' : 'safe to try again';
    return `${error.name} ${error.code}, ${again}`;
  }
  throw error;
}

async function attempt(client: McpClient, tool: string, args: { readonly [name: string]: string | number }) {
  try {
    const { isError, content } = await client.callTool(tool, args, { timeoutMs: 1000 });
    // A tool that failed is a result, not an error: a model should read it and try something else.
    return `${isError === true ? 'the tool failed' : 'done'}: ${String(content[0]?.['text'])}`;
  } catch (error) {
    return explain(error);
  }
}

const info = { name: 'my-program', version: '1.0.0' };
await using client = await connect({ url, info });
console.log(await attempt(client, 'now', { zone: 'Atlantis' }));
console.log(await attempt(client, 'no_such_tool', {}));
console.log(await attempt(client, 'countdown', { from: 2, intervalMs: 10_000 }));

// Port 9 is for discarding; on most machines nobody listens there.
console.log(await connect({ url: 'http://127.0.0.1:9/mcp', info }).then(() => 'connected', explain));
