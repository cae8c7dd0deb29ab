import { HubError, LOOPBACK_NAMES } from '../../kernel/index.js';

/** What a client says of itself, as far as we go by it. Everybody can say anything: nothing here is proof. */
export interface ClientMetadata {
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly token_endpoint_auth_method: 'none';
}

const MAX_REDIRECT_URIS = 10;
const MAX_URI_LENGTH = 2_000;
const MAX_NAME_LENGTH = 200;
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
/** Schemes that a browser acts upon itself, or that lead to files. */
const FORBIDDEN_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'filesystem:',
  'blob:',
  'about:',
  'view-source:',
  'ftp:',
  'ws:',
  'wss:',
  'mailto:',
  'jar:',
  'intent:',
]);

/** Throws `invalid_request` with the member that is wrong. Members we do not go by are dropped. */
export function readClientMetadata(input: unknown): ClientMetadata {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid('client metadata', 'must be an object');
  const given = input as Readonly<Record<string, unknown>>;
  const uris = given['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0) throw invalid('redirect_uris', 'must name at least one');
  if (uris.length > MAX_REDIRECT_URIS)
    throw invalid('redirect_uris', `must not be more than ${MAX_REDIRECT_URIS}`);
  const name = readText(given, 'client_name', MAX_NAME_LENGTH);
  const home = readText(given, 'client_uri', MAX_URI_LENGTH);
  const responseTypes = readList(given, 'response_types') ?? ['code'];
  if (!responseTypes.includes('code')) throw invalid('response_types', 'must contain "code"');
  const grantTypes = readList(given, 'grant_types') ?? GRANT_TYPES;
  if (!grantTypes.includes('authorization_code'))
    throw invalid('grant_types', 'must contain "authorization_code"');
  return {
    ...(name !== undefined && { client_name: name }),
    ...(home !== undefined && /^https?:\/\//.test(home) && URL.canParse(home) && { client_uri: home }),
    redirect_uris: uris.map(readRedirectUri),
    grant_types: grantTypes.filter((type) => GRANT_TYPES.includes(type)),
    response_types: ['code'],
    application_type: given['application_type'] === 'web' ? 'web' : 'native',
    // Whoever wants a secret gets none and is told so (RFC 7591, section 3.2.1): programs on people's machines keep none.
    token_endpoint_auth_method: 'none',
  };
}

/** Whether a client may be answered there: exactly what it registered; on loopback with any port (RFC 8252, section 7.3). */
export function isRegisteredRedirect(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true;
  const wanted = withoutLoopbackPort(asked);
  return wanted !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === wanted);
}

/** For people: where somebody is sent. */
export function redirectTarget(uri: string): string {
  const { protocol, host, hostname } = new URL(uri);
  if (protocol === 'http:' && LOOPBACK_NAMES.includes(hostname))
    return `a program on this computer (${host})`;
  return protocol === 'https:' ? host : `the program that handles ${protocol}//`;
}

/** As the source expression of a content security policy. */
export function redirectSource(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol;
}

export function isWebRedirect(uri: string): boolean {
  return new URL(uri).protocol === 'https:';
}

function readRedirectUri(uri: unknown): string {
  const refuse = (problem: string): HubError => invalid('redirect_uris', problem);
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !URL.canParse(uri))
    throw refuse('must be absolute addresses');
  if (/[\p{Cc}\s\\]/u.test(uri)) throw refuse('must not contain control characters, blanks or backslashes');
  if (uri.includes('#')) throw refuse('must not have a fragment');
  if (uri.includes('*')) throw refuse('must not have wildcards');
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') throw refuse('must not contain a user name or password');
  if (protocol === 'https:') return uri;
  if (protocol === 'http:') {
    if (LOOPBACK_NAMES.includes(hostname)) return uri;
    throw refuse('must be encrypted (https) unless they lead to this computer');
  }
  if (FORBIDDEN_SCHEMES.has(protocol)) throw refuse('must not have a scheme that browsers act upon');
  // A private scheme, which a program registered with its system (RFC 8252, section 7.1).
  if (!/^[a-z][a-z0-9+.-]*:\/\/?[^/]/i.test(uri)) throw refuse('must name an address behind their scheme');
  return uri;
}

/** By its letters, not by what it would be resolved to: all but the port must be what was registered. */
function withoutLoopbackPort(uri: string): string | undefined {
  const [, host = '', rest = ''] = /^http:\/\/([^/?#:@]+|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/.exec(uri) ?? [];
  return LOOPBACK_NAMES.includes(host) && URL.canParse(uri) ? `http://${host}${rest}` : undefined;
}

function readText(
  given: Readonly<Record<string, unknown>>,
  member: string,
  maxLength: number,
): string | undefined {
  const value = given[member];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(member, 'must be text');
  if (value.length > maxLength) throw invalid(member, `must not be longer than ${maxLength} characters`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) throw invalid(member, 'must not contain control characters');
  return value;
}

function readList(given: Readonly<Record<string, unknown>>, member: string): readonly string[] | undefined {
  const value = given[member];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > 20 || !value.every((one) => typeof one === 'string'))
    throw invalid(member, 'must be a list of words');
  return value;
}

function invalid(member: string, problem: string): HubError {
  return new HubError('invalid_request', `${member} ${problem}`, { details: { member } });
}
