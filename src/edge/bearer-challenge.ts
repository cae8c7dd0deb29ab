export interface ChallengeParts {
  readonly resourceMetadata?: string;
  readonly scopes?: readonly string[];
  readonly error?: 'invalid_token' | 'invalid_request' | 'insufficient_scope';
}

/** The value of a `WWW-Authenticate` header (RFC 6750, section 3; RFC 9728, section 5.1). */
export function bearerChallenge({ resourceMetadata, scopes = [], error }: ChallengeParts): string {
  const parts = [
    ['realm', 'crosspoint'],
    ['error', error],
    ['scope', scopes.length === 0 ? undefined : scopes.join(' ')],
    ['resource_metadata', resourceMetadata],
  ] as const;
  const shown = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return `Bearer ${shown.join(', ')}`;
}
