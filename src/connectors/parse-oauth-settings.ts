import type { AuthInput } from '../contract/index.js';
import { invalidField, Secret, type HubError } from '../kernel/index.js';
import { checkUrl } from './check-url.js';
import type { OAuthClientAuth, OAuthSettings } from './connector.js';

type OAuthInput = Extract<AuthInput, { type: 'oauth' | 'client_credentials' }>;

/** What the flow itself sets. */
const OWN_PARAMETERS = new Set([
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'request',
  'request_uri',
]);

const ADDRESSES = [
  'issuer',
  'authorizationEndpoint',
  'tokenEndpoint',
  'registrationEndpoint',
  'revocationEndpoint',
  'resource',
] as const;

/** Complete and free of contradictions, so that a sign-in does not fail for something that could be seen before. */
export function parseOAuthSettings(given: OAuthInput, mayBePrivate: boolean): OAuthSettings {
  const { type, clientSecret, privateKey, ...plain } = given;
  for (const name of ADDRESSES) {
    const address = name in plain ? (plain as OAuthSettings)[name] : undefined;
    if (address !== undefined) checkUrl(address, mayBePrivate, `auth.${name}`);
  }
  checkClient(given);
  if (type === 'oauth') checkParameters(given.authorizationParameters ?? {});
  return {
    ...plain,
    ...(clientSecret !== undefined && { clientSecret: new Secret(clientSecret) }),
    ...(privateKey !== undefined && { privateKey: new Secret(privateKey) }),
  };
}

function checkClient(given: OAuthInput): void {
  const { type, clientId, clientSecret, privateKey, clientAuth } = given;
  for (const name of ['clientSecret', 'privateKey', 'clientAuth'] as const)
    if (given[name] !== undefined && clientId === undefined)
      throw invalid(name, 'belongs to a client: give clientId too');
  const needs: Readonly<Record<OAuthClientAuth, 'clientSecret' | 'privateKey' | undefined>> = {
    none: undefined,
    client_secret_basic: 'clientSecret',
    client_secret_post: 'clientSecret',
    private_key_jwt: 'privateKey',
  };
  const needed = clientAuth === undefined ? undefined : needs[clientAuth];
  if (needed !== undefined && given[needed] === undefined)
    throw invalid('clientAuth', `${clientAuth} needs ${needed}`);
  if (clientAuth === 'none' && (clientSecret ?? privateKey) !== undefined)
    throw invalid('clientAuth', 'none contradicts clientSecret and privateKey');
  if (clientSecret !== undefined && privateKey !== undefined && clientAuth === undefined)
    throw invalid('clientAuth', 'with both clientSecret and privateKey say which is used');
  if (type === 'client_credentials' && clientId === undefined)
    throw invalid('clientId', 'client_credentials needs the client that the operator registered');
  if (type === 'client_credentials' && (clientSecret ?? privateKey) === undefined)
    throw invalid('clientSecret', 'client_credentials needs clientSecret or privateKey');
}

function checkParameters(parameters: Readonly<Record<string, string>>): void {
  const own = Object.keys(parameters).find((name) => OWN_PARAMETERS.has(name.toLowerCase()));
  if (own !== undefined)
    throw invalid('authorizationParameters', `${own} is set by the hub and cannot be chosen`);
}

function invalid(name: string, problem: string): HubError {
  return invalidField(`auth.${name}`, problem);
}
