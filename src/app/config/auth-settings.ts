import { isScope, TOKEN_ALGORITHMS, type SubjectRules, type TrustedIssuer } from '../../agents/index.js';
import type { IssuerInput, TokenAuthInput } from '../../contract/index.js';
import { HubError, isLoopback, isName, Secret } from '../../kernel/index.js';

/** Who may call with access tokens, and whether the hub issues some itself. */
export interface AuthSettings {
  readonly issuers: readonly TrustedIssuer[];
  readonly server: {
    readonly enabled: boolean;
    /** What clients may ask for; the first is what they get if they ask for nothing. */
    readonly scopes: readonly string[];
    /** Whether clients may register themselves. */
    readonly registration: boolean;
    readonly maxClients: number;
  };
}

const DEFAULT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** `auto`: on where only this machine can reach the hub and nobody else issues tokens for it. */
export function toAuthSettings(input: TokenAuthInput, host: string): AuthSettings {
  const issuers = (input.issuers ?? []).map(toIssuer);
  const twice = issuers.find(({ issuer }, index) =>
    issuers.slice(0, index).some((earlier) => earlier.issuer === issuer),
  );
  if (twice !== undefined) throw invalid('issuers', `${twice.issuer} stands there twice`);
  const { enabled = 'auto', scopes = ['mcp'], registration = true, maxClients = 1_000 } = input.server ?? {};
  for (const scope of scopes) requireScope(scope, 'server.scopes');
  return {
    issuers,
    server: {
      enabled: enabled === 'auto' ? issuers.length === 0 && isLoopback(host) : enabled,
      scopes,
      registration,
      maxClients,
    },
  };
}

function toIssuer(input: IssuerInput, index: number): TrustedIssuer {
  const at = `issuers.${index}`;
  const { issuer, audience, jwksUri, introspection, requiredScopes = [] } = input;
  const { algorithms = DEFAULT_ALGORITHMS, types = ['at+jwt', 'JWT'] } = input;
  for (const [key, url] of [
    ['issuer', issuer],
    ['jwksUri', jwksUri],
    ['introspection.url', introspection?.url],
  ] as const) {
    if (url !== undefined && !/^https?:$/.test(new URL(url).protocol))
      throw invalid(`${at}.${key}`, 'must begin with https:// or http://');
  }
  const unknown = algorithms.find((algorithm) => !TOKEN_ALGORITHMS.includes(algorithm));
  if (unknown !== undefined)
    throw invalid(`${at}.algorithms`, `"${unknown}" is none of ${TOKEN_ALGORITHMS.join(', ')}`);
  if (introspection !== undefined && jwksUri !== undefined)
    throw invalid(at, 'jwksUri and introspection exclude each other: tokens are checked in one way');
  for (const scope of requiredScopes) requireScope(scope, `${at}.requiredScopes`);
  return {
    issuer,
    audience: audience === undefined || Array.isArray(audience) ? audience : [audience],
    jwksUri,
    algorithms,
    types,
    requiredScopes,
    introspection:
      introspection === undefined
        ? undefined
        : { ...introspection, clientSecret: new Secret(introspection.clientSecret) },
    agents: toRules(input.agents, `${at}.agents`),
  };
}

function toRules(input: IssuerInput['agents'], at: string): SubjectRules {
  const { claim = 'sub', map = {}, template, automatic = false } = input;
  const wrong: string | undefined = Object.values(map).find((id: unknown) => !isName(id));
  if (wrong !== undefined) throw invalid(`${at}.map`, `"${wrong}" is not the id of an agent`);
  if (template !== undefined && !template.includes('{value}'))
    throw invalid(`${at}.template`, 'must contain {value}');
  if (template !== undefined && !isName(template.replaceAll('{value}', 'x')))
    throw invalid(`${at}.template`, 'does not make the id of an agent');
  if (Object.keys(map).length === 0 && template === undefined && automatic === false)
    throw invalid(at, 'needs map, template or automatic: otherwise no token leads to an agent');
  const tags = typeof automatic === 'object' ? automatic.tags : undefined;
  return {
    claim,
    map,
    template,
    automatic: automatic === false ? undefined : { tags: tags ?? ['automatic'] },
  };
}

function requireScope(scope: string, at: string): void {
  if (!isScope(scope)) throw invalid(at, `"${scope}" cannot be a scope`);
}

function invalid(key: string, problem: string): HubError {
  return new HubError('config_invalid', `auth.${key}: ${problem}`);
}
