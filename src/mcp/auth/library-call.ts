import type { AuthorizationServer, Client } from 'oauth4webapi';
import { AuthFailure, refused, toServerError } from './auth-failure.js';
import type { JsonMembers } from './json-answer.js';
import type { ServerMetadata } from './server-metadata.js';

export type Endpoints = Pick<ServerMetadata, 'issuer'> &
  Partial<Pick<ServerMetadata, 'tokenEndpoint' | 'registrationEndpoint' | 'revocationEndpoint'>> & {
    readonly issuerInAnswer?: boolean;
  };

/** As the library wants it. */
export function toLibraryServer(server: Endpoints): AuthorizationServer {
  return {
    issuer: server.issuer,
    authorization_response_iss_parameter_supported: server.issuerInAnswer === true,
    ...(server.tokenEndpoint !== undefined && { token_endpoint: server.tokenEndpoint }),
    ...(server.registrationEndpoint !== undefined && { registration_endpoint: server.registrationEndpoint }),
    ...(server.revocationEndpoint !== undefined && { revocation_endpoint: server.revocationEndpoint }),
  };
}

export function toLibraryClient(clientId: string): Client {
  return { client_id: clientId };
}

/** An answer with the members that matter, for the library to judge. Headers of servers could lead it astray. */
export function toAnswer(status: number, members: JsonMembers): Response {
  return new Response(JSON.stringify(members), { status, headers: { 'content-type': 'application/json' } });
}

/** Lets the library judge an answer. What it throws holds the answer, so it is replaced. */
export async function judge<T>(what: string, status: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { ResponseBodyError } = await import('oauth4webapi');
    const isUnavailable = status >= 500 || status === 429;
    if (error instanceof ResponseBodyError) {
      const serverError = toServerError(error.error);
      const isTemporary = serverError === 'temporarily_unavailable' || serverError === 'server_error';
      throw new AuthFailure(
        isUnavailable || isTemporary ? 'unavailable' : 'rejected',
        `the ${what} answers with an error${serverError === undefined ? '' : ` (${serverError})`}`,
        { serverError },
      );
    }
    if (isUnavailable) throw new AuthFailure('unavailable', `the ${what} answers with HTTP ${status}`);
    throw refused(`the answer of the ${what} is not acceptable (HTTP ${status})`);
  }
}
