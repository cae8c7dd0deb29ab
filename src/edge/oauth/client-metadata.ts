import { CALLBACK_PATH } from '../../operations/index.js';

export const CLIENT_METADATA_PATH = '/oauth/client-metadata.json';
const MAX_AGE_S = 3_600;

/** What authorization servers may know of this hub: a client whose id is the address of this document. */
export function toClientMetadata(urlOf: (path: string) => string): Response {
  const document = {
    client_id: urlOf(CLIENT_METADATA_PATH),
    client_name: 'Crosspoint',
    client_uri: urlOf('/'),
    redirect_uris: [urlOf(CALLBACK_PATH)],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  };
  return new Response(JSON.stringify(document), {
    headers: {
      'content-type': 'application/json',
      'cache-control': `public, max-age=${MAX_AGE_S}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  });
}
