import { request } from 'node:http';
import { INITIALIZED_BODY, initializeBody, PLAIN_HEADERS } from './work.js';
import { LEGACY_REVISION } from '../workers/call.js';

export interface OneAnswer {
  readonly status: number;
  readonly session: string | undefined;
  readonly body: string;
}

const NO_ANSWER_MS = 20_000;

/** Sends a request over a connection of its own. */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<OneAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', headers, agent: false, timeout: NO_ANSWER_MS },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => {
          const session = answer.headers['mcp-session-id'];
          resolve({
            status: answer.statusCode ?? 0,
            session: typeof session === 'string' ? session : undefined,
            body: text,
          });
        });
        answer.on('error', reject);
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer from ${url}`)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** The handshake; gives the session, where the server has them. */
export async function openSession(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { status, session, body } = await post(url, { ...PLAIN_HEADERS, ...headers }, initializeBody());
  if (status !== 200) throw new Error(`${url} opened no session: status ${status}, ${body.slice(0, 300)}`);
  const own = { ...PLAIN_HEADERS, ...headers, 'mcp-protocol-version': LEGACY_REVISION };
  await post(url, session === undefined ? own : { ...own, 'mcp-session-id': session }, INITIALIZED_BODY);
  return session;
}
