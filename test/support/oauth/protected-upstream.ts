import type { ServerResponse } from 'node:http';
import {
  startUpstream,
  type ScriptedUpstream,
  type SeenRequest,
  type UpstreamScript,
} from '../scripted-upstream.js';
import type { TestProvider } from './provider.js';

export interface ProtectedUpstream extends ScriptedUpstream {
  /** The authorization server it names. */
  provider: TestProvider;
  /** What a call of the tool of this name needs. */
  readonly needs: Record<string, readonly string[]>;
  /** Tokens it does not take although their server does. */
  readonly distrusted: Set<string>;
  /** Calls that were let in, by person and tool. */
  readonly served: { readonly person: string; readonly tool: string }[];
}

const PROTECTED_TOOLS = [
  { name: 'look', inputSchema: { type: 'object' } },
  { name: 'change', inputSchema: { type: 'object' } },
];

/** An upstream that lets in whoever the provider vouches for, and tells everybody else where to go. */
export async function startProtectedUpstream(
  provider: TestProvider,
  script: UpstreamScript = {},
): Promise<ProtectedUpstream> {
  const upstream = await startUpstream();
  const given: ProtectedUpstream = Object.assign(upstream, {
    provider,
    needs: { look: ['read'], change: ['write'] },
    distrusted: new Set<string>(),
    served: [],
  });
  upstream.script = {
    tools: PROTECTED_TOOLS,
    ...script,
    intercept: (request, response) => guard(given, request, response),
  };
  return given;
}

function guard(given: ProtectedUpstream, request: SeenRequest, response: ServerResponse): boolean {
  const origin = new URL(given.url).origin;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  if (request.path.startsWith('/.well-known/oauth-protected-resource')) {
    const document = {
      resource: given.url,
      authorization_servers: [given.provider.issuer],
      scopes_supported: ['read', 'write'],
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    return true;
  }
  const token = String(request.headers['authorization'] ?? '').replace('Bearer ', '');
  const facts = given.distrusted.has(token) ? undefined : given.provider.judge(token);
  if (facts === undefined || facts.audience !== given.url) {
    const challenge = `Bearer resource_metadata="${metadata}", scope="read"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  }
  if (request.rpc.method !== 'tools/call') return false;
  const tool = String(request.rpc.params?.['name']);
  const missing = (given.needs[tool] ?? []).filter((scope) => !facts.scopes.includes(scope));
  if (missing.length > 0) {
    const challenge = `Bearer error="insufficient_scope", scope="${missing.join(' ')}", resource_metadata="${metadata}"`;
    response.writeHead(403, { 'www-authenticate': challenge }).end();
    return true;
  }
  given.served.push({ person: facts.person, tool });
  return false;
}
