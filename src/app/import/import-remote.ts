import type { AuthInput, ConnectorInput } from '../../contract/index.js';
import { Secret } from '../../kernel/index.js';
import type { ImportedCredential } from './imported-server.js';
import { hasSecretName, hasSecretQuery } from '../../connectors/index.js';
import { describeMissing, resolvePlaceholders, type PlaceholderSources } from './placeholders.js';
import type { RawServer } from './read-entry.js';

export interface RemoteParts {
  readonly connector: ConnectorInput;
  readonly credential: ImportedCredential | undefined;
  readonly notes: readonly string[];
}

/** Set by the transport, whatever a file says. */
const TRANSPORTS_OWN = new Set(['accept', 'content-type', 'host', 'connection', 'content-length']);
const BEARER = /^Bearer\s+(.+)$/is;

/** Every header value is taken for a secret: what is not one loses nothing by it. */
export function toRemote(
  raw: RawServer & { readonly url: string },
  sources: PlaceholderSources,
): RemoteParts {
  const address = resolvePlaceholders(raw.url, sources);
  if (address.text === undefined) throw new Error(`its address needs ${describeMissing(address.missing)}`);
  const { url, authorization } = splitUserInfo(address.text);
  const given = Object.entries(raw.headers).filter(([name]) => !TRANSPORTS_OWN.has(name.toLowerCase()));
  const values = given.map(([name, value]) => [name, resolvePlaceholders(value, sources)] as const);
  const known = [
    ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
    ...values.flatMap(([name, { text }]) => (text === undefined ? [] : [[name, text] as const])),
  ];
  const missing = values.flatMap(([, resolved]) => resolved.missing);
  const names = [...(authorization === undefined ? [] : ['Authorization']), ...given.map(([name]) => name)];
  const { auth, credential } = toAuth(names, Object.fromEntries(known), raw);
  return {
    connector: {
      ...(raw.transport === 'sse' && { transport: 'sse' as const }),
      url,
      ...(auth !== undefined && { auth }),
      ...(!raw.enabled && { enabled: false }),
      ...(raw.timeoutMs !== undefined && { timeouts: { requestMs: raw.timeoutMs } }),
    },
    credential: missing.length > 0 ? undefined : credential,
    notes: [
      ...(missing.length > 0
        ? [`no value for ${missing.join(', ')}: store the credential with "crosspoint connector connect"`]
        : []),
      ...(hasSecretQuery(url)
        ? ['its address contains a secret; addresses are kept encrypted, but a header is the better place']
        : []),
      ...(raw.oauth ? ['it signs in with OAuth'] : []),
    ],
  };
}

function toAuth(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
  { oauth, headers }: RawServer,
): { readonly auth: AuthInput | undefined; readonly credential: ImportedCredential | undefined } {
  const [only] = names;
  if (only === undefined) return { auth: oauth ? { type: 'oauth' } : undefined, credential: undefined };
  const isBearer = only.toLowerCase() === 'authorization' && BEARER.test(values[only] ?? headers[only] ?? '');
  if (names.length === 1 && isBearer) {
    const token = BEARER.exec(values[only] ?? '')?.[1];
    return {
      auth: { type: 'bearer' },
      credential: token === undefined ? undefined : { token: new Secret(token) },
    };
  }
  if (names.length === 1 && only.toLowerCase() !== 'authorization' && hasSecretName(only)) {
    const value = values[only];
    return {
      auth: { type: 'api_key', header: only },
      credential: value === undefined ? undefined : { value: new Secret(value) },
    };
  }
  const secrets = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, new Secret(value)]),
  );
  return {
    auth: { type: 'header', headers: Object.fromEntries(names.map((name) => [name, null])) },
    credential: { headers: secrets },
  };
}

/** A user name and password in an address are a header in disguise. */
function splitUserInfo(text: string): { readonly url: string; readonly authorization: string | undefined } {
  if (!URL.canParse(text)) return { url: text, authorization: undefined };
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, authorization: undefined };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
