import { Agent, request, type ClientRequest } from 'node:http';
import { LEGACY_REVISION } from '../workers/call.js';

/** Opens event streams that nothing is said on, and keeps them until they are given up. */
export async function openStreams(
  url: string,
  sessions: readonly { readonly id: string; readonly headers: Readonly<Record<string, string>> }[],
): Promise<() => void> {
  const open: ClientRequest[] = [];
  // As clients do, which do not say that the connection ends with the stream.
  const agent = new Agent({ keepAlive: true });
  for (const { id, headers } of sessions) open.push(await openStream(agent, url, id, headers));
  return () => {
    open.forEach((stream) => stream.destroy());
    agent.destroy();
  };
}

function openStream(
  agent: Agent,
  url: string,
  session: string,
  headers: Readonly<Record<string, string>>,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent,
      headers: {
        ...headers,
        accept: 'text/event-stream',
        'mcp-session-id': session,
        'mcp-protocol-version': LEGACY_REVISION,
      },
    });
    outgoing.once('response', (answer) => {
      if (answer.statusCode !== 200) {
        outgoing.destroy();
        reject(new Error(`no stream: status ${answer.statusCode ?? 0}`));
        return;
      }
      answer.on('error', () => {});
      answer.resume();
      outgoing.on('error', () => {});
      resolve(outgoing);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
