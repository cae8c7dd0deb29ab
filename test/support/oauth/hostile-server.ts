import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a path answers with; `undefined` leaves the connection hanging. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface HostileServer {
  readonly url: string;
  readonly origin: string;
  /** `METHOD /path`, in order. */
  readonly seen: readonly string[];
  /** Replaces what a path answers with. */
  readonly answer: (path: string, answer: Answer) => void;
  readonly close: () => Promise<void>;
}

export const json =
  (body: object, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** An upstream and its authorization server in one. All is well until a path is given another answer. */
export async function startHostileServer(): Promise<HostileServer> {
  const answers = new Map<string, Answer>();
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    seen.push(`${request.method} ${pathname}`);
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const answer = answers.get(pathname);
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answers.set('/.well-known/oauth-protected-resource/mcp', json(goodResource(origin)));
  answers.set('/.well-known/oauth-authorization-server', json(goodServer(origin)));
  answers.set('/register', json({ client_id: 'made' }, 201));
  answers.set('/token', json({ access_token: 'good-token', token_type: 'Bearer' }));
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    answer: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export function goodResource(origin: string): Record<string, unknown> {
  return { resource: `${origin}/mcp`, authorization_servers: [origin] };
}

export function goodServer(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}
