import type { ConnectorAddition, ConnectorPatch, ConnectorView } from '../../../src/contract/index.js';

export const AUTH_TYPES = [
  { value: 'none', label: 'None' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'api_key', label: 'API key in a header' },
  { value: 'header', label: 'Several headers' },
  { value: 'oauth', label: 'OAuth: sign in at the service' },
  { value: 'client_credentials', label: 'OAuth client credentials' },
] as const;
export type AuthType = (typeof AUTH_TYPES)[number]['value'];

export const CREDENTIAL_MODES = [
  { value: 'shared', label: 'One for all agents' },
  { value: 'per_agent', label: 'Each agent has its own' },
] as const;
export type CredentialMode = 'none' | (typeof CREDENTIAL_MODES)[number]['value'];

/** What stands in the fields of the form. */
export interface ConnectorDraft {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly transport: 'streamable_http' | 'sse';
  readonly authType: AuthType;
  readonly credentialMode: CredentialMode;
  /** Blank keeps the stored one. */
  readonly secret: string;
  readonly header: string;
  /** `Name: value`, one to a line. */
  readonly headerLines: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly era: 'auto' | 'legacy' | 'modern';
  readonly requestMs: string;
  readonly totalMs: string;
  readonly resultBytes: string;
  readonly concurrency: string;
  readonly isolation: ConnectorView['isolation'];
  readonly tags: string;
  readonly allowPrivateNetwork: boolean;
  readonly hideWhenUnhealthy: boolean;
  readonly changedTools: ConnectorView['changedTools'];
}

export const NEW_DRAFT: ConnectorDraft = {
  id: '',
  name: '',
  url: '',
  transport: 'streamable_http',
  authType: 'none',
  credentialMode: 'shared',
  secret: '',
  header: 'X-API-Key',
  headerLines: '',
  clientId: '',
  clientSecret: '',
  scopes: '',
  era: 'auto',
  requestMs: '',
  totalMs: '',
  resultBytes: '',
  concurrency: '',
  isolation: 'per_principal',
  tags: '',
  allowPrivateNetwork: false,
  hideWhenUnhealthy: false,
  changedTools: 'offer',
};

export function draftOf(connector: ConnectorView): ConnectorDraft {
  const { auth, timeouts, limits } = connector;
  return {
    ...NEW_DRAFT,
    id: connector.id,
    name: connector.name,
    url: connector.url ?? '',
    transport: connector.transport === 'sse' ? 'sse' : 'streamable_http',
    authType: auth.type,
    credentialMode: connector.credentialMode === 'none' ? 'shared' : connector.credentialMode,
    header: auth.type === 'api_key' ? auth.header : NEW_DRAFT.header,
    headerLines:
      auth.type === 'header'
        ? Object.keys(auth.headers)
            .map((name) => `${name}: `)
            .join('\n')
        : '',
    era: connector.era,
    requestMs: String(timeouts.requestMs),
    totalMs: String(timeouts.totalMs),
    resultBytes: String(limits.resultBytes),
    concurrency: String(limits.concurrency),
    isolation: connector.isolation,
    tags: connector.tags.join(', '),
    allowPrivateNetwork: connector.allowPrivateNetwork,
    hideWhenUnhealthy: connector.hideWhenUnhealthy,
    changedTools: connector.changedTools,
  };
}

/** A short name from an address: `https://mcp.linear.app/mcp` is `linear`. */
export function suggestId(url: string): string {
  let host: string;
  try {
    host = new URL(url).hostname;
  } catch {
    return '';
  }
  if (/^[\d.]+$|^\[|^localhost$/.test(host)) return 'local-server';
  const parts = host.split('.').filter((part) => !['mcp', 'www', 'api'].includes(part));
  const word = (parts.length > 1 ? parts.at(-2) : parts[0]) ?? '';
  return toId(word);
}

/** What an id may consist of. */
export function toId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 48);
}

export function toAddition(draft: ConnectorDraft): ConnectorAddition {
  const { name, ...others } = toFields(draft);
  return {
    ...others,
    id: draft.id.trim(),
    url: draft.url.trim(),
    auth: authOf(draft) as NonNullable<ConnectorAddition['auth']>,
    ...(name !== '' && { name }),
  };
}

/**
 * What was typed, over what somebody else made of the connector meanwhile. Undefined: both changed the same.
 * `before` is what the fields began with.
 */
export function mergeDrafts(
  before: ConnectorDraft,
  typed: ConnectorDraft,
  theirs: ConnectorDraft,
): ConnectorDraft | undefined {
  const own = changesOf(before, typed);
  const clashes = Object.entries(changesOf(before, theirs)).some(([key, value]) =>
    Object.entries(own).some(([name, mine]) => name === key && mine !== value),
  );
  return clashes ? undefined : { ...theirs, ...own };
}

function changesOf(before: ConnectorDraft, after: ConnectorDraft): Partial<ConnectorDraft> {
  const old = Object.entries(before);
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => !old.some((each) => each[0] === key && each[1] === value)),
  );
}

/** Only what is different, so that a change of one field touches nothing else. */
export function toPatch(draft: ConnectorDraft, before: ConnectorView): ConnectorPatch {
  const old = draftOf(before);
  const fields = toFields(draft);
  const oldFields = toFields(old);
  const changed = Object.entries(fields).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(oldFields[key as keyof typeof oldFields]),
  );
  const auth = withoutRemoved(authOf(draft), before);
  const keepsAuth = JSON.stringify(auth) === JSON.stringify(authOf(old));
  return {
    ...Object.fromEntries(changed),
    ...(draft.url.trim() !== old.url && { url: draft.url.trim() }),
    ...(!keepsAuth && { auth }),
  };
}

function toFields(draft: ConnectorDraft) {
  const timeouts = numbers({ requestMs: draft.requestMs, totalMs: draft.totalMs });
  const limits = numbers({ resultBytes: draft.resultBytes, concurrency: draft.concurrency });
  return {
    name: draft.name.trim(),
    transport: draft.transport,
    ...(draft.authType !== 'none' && { credentialMode: draft.credentialMode }),
    era: draft.era,
    isolation: draft.isolation,
    hideWhenUnhealthy: draft.hideWhenUnhealthy,
    changedTools: draft.changedTools,
    allowPrivateNetwork: draft.allowPrivateNetwork,
    tags: listOf(draft.tags, /,/),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function authOf(draft: ConnectorDraft): { readonly type: AuthType; readonly [setting: string]: unknown } {
  const { authType: type, secret, header, headerLines, clientId, clientSecret, scopes } = draft;
  switch (type) {
    case 'none':
      return { type };
    case 'bearer':
      return { type, ...(secret !== '' && { token: secret }) };
    case 'api_key':
      return { type, header: header.trim(), ...(secret !== '' && { value: secret }) };
    case 'header':
      return { type, headers: headersOf(headerLines) };
    case 'oauth':
    case 'client_credentials':
      return {
        type,
        ...(clientId.trim() !== '' && { clientId: clientId.trim() }),
        ...(clientSecret !== '' && { clientSecret }),
        ...(scopes.trim() !== '' && { scopes: listOf(scopes, /[\s,]/) }),
      };
  }
}

/** A header whose line is gone is taken away. */
function withoutRemoved(auth: ReturnType<typeof authOf>, { auth: stored }: ConnectorView) {
  if (auth.type !== 'header' || stored.type !== 'header') return auth;
  const gone = Object.keys(stored.headers).map((name) => [name, null] as const);
  return { ...auth, headers: { ...Object.fromEntries(gone), ...(auth['headers'] as object) } };
}

function headersOf(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split('\n')
      .map((line) => [line.split(':', 1)[0]?.trim() ?? '', line.slice(line.indexOf(':') + 1).trim()] as const)
      .filter(([name]) => name !== ''),
  );
}

function listOf(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function numbers(fields: Readonly<Record<string, string>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, text]) => (text.trim() === '' ? [] : [[key, Number(text)]])),
  );
}
