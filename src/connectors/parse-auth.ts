import type { ConnectorInput } from '../contract/index.js';
import { invalidField, Secret } from '../kernel/index.js';
import type { ConnectorAuth, CredentialMode } from './connector.js';
import { parseOAuthSettings } from './parse-oauth-settings.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Headers that are the transport's own. */
const RESERVED = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'accept',
  'accept-encoding',
  'expect',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
]);

export function parseAuth(
  given: ConnectorInput,
  isStdio: boolean,
  mayBePrivate: boolean,
): { auth: ConnectorAuth; credentialMode: CredentialMode } {
  if (isStdio) return { auth: { type: 'none' }, credentialMode: 'none' };
  const auth = toAuth(given, mayBePrivate);
  const credentialMode = given.credentialMode ?? (auth.type === 'none' ? 'none' : 'shared');
  if (auth.type === 'none' && credentialMode !== 'none')
    throw invalidField('credentialMode', `${credentialMode} needs an auth type`);
  if (auth.type !== 'none' && credentialMode === 'none')
    throw invalidField('credentialMode', `none contradicts auth type ${auth.type}`);
  if (auth.type === 'client_credentials' && credentialMode === 'per_agent')
    throw invalidField('credentialMode', 'client_credentials is an account of the hub itself: use shared');
  return { auth, credentialMode };
}

function toAuth({ auth, headers }: ConnectorInput, mayBePrivate: boolean): ConnectorAuth {
  if (auth === undefined) return headers === undefined ? { type: 'none' } : toHeaderAuth(headers, 'headers');
  if (headers !== undefined) throw invalidField('headers', 'use either headers or auth');
  switch (auth.type) {
    case 'none':
      return { type: 'none' };
    case 'bearer':
      return { type: 'bearer', token: toSecret(auth.token, 'auth.token') };
    case 'api_key': {
      const header = auth.header ?? 'X-API-Key';
      checkName(header, 'auth.header');
      return { type: 'api_key', header, value: toSecret(auth.value, 'auth.value') };
    }
    case 'header':
      return toHeaderAuth(auth.headers, 'auth.headers');
    case 'oauth':
    case 'client_credentials':
      return { type: auth.type, settings: parseOAuthSettings(auth, mayBePrivate) };
  }
}

function toHeaderAuth(headers: Readonly<Record<string, string | null>>, field: string): ConnectorAuth {
  const values: Record<string, Secret> = {};
  for (const [name, value] of Object.entries(headers)) {
    checkName(name, `${field}.${name}`);
    const secret = toSecret(value ?? undefined, `${field}.${name}`);
    if (secret !== undefined) values[name] = secret;
  }
  return { type: 'header', headers: Object.keys(headers), values };
}

function checkName(name: string, field: string): void {
  if (!TOKEN.test(name)) throw invalidField(field, 'is not a header name');
  if (RESERVED.has(name.toLowerCase()))
    throw invalidField(field, 'is set by the transport and cannot be chosen');
}

function toSecret(value: string | undefined, field: string): Secret | undefined {
  if (value === undefined) return undefined;
  if (!/^[\x20-\x7e\x80-\xff]*$/.test(value))
    throw invalidField(field, 'has characters that a header cannot carry');
  return new Secret(value);
}
