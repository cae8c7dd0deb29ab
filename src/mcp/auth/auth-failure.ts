/**
 * Why a step of the exchange did not succeed.
 *
 * - `refused`: what a server published or answered is not acceptable; we stopped.
 * - `rejected`: the server said no, with an error of its own.
 * - `unavailable`: it may work later.
 */
export type AuthFailureKind = 'refused' | 'rejected' | 'unavailable';

/**
 * Errors servers may name (RFC 6749, 6750, 7591, 8707, OpenID Connect), and what large providers say instead of
 * `invalid_grant`. Any other word of theirs is not repeated.
 */
const SERVER_ERRORS = [
  'access_denied',
  'account_selection_required',
  'bad_refresh_token',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_refresh_token',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const;

export type ServerError = (typeof SERVER_ERRORS)[number];

/** Errors after which a refresh token is of no use any more: only a person can sign in again. */
const OVER: ReadonlySet<ServerError | undefined> = new Set<ServerError>([
  'account_selection_required',
  'bad_refresh_token',
  'consent_required',
  'interaction_required',
  'invalid_grant',
  'invalid_refresh_token',
  'invalid_token',
  'login_required',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/** Its message is ours from beginning to end: nothing a server wrote is in it. */
export class AuthFailure extends Error {
  override readonly name = 'AuthFailure';
  readonly kind: AuthFailureKind;
  readonly serverError: ServerError | undefined;

  constructor(
    kind: AuthFailureKind,
    message: string,
    options: { readonly serverError?: ServerError | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.serverError = options.serverError;
  }
}

/** Whether a server that answered a renewal with this will not answer the next one otherwise. */
export function endsRenewal({ kind, serverError }: AuthFailure): boolean {
  return kind === 'rejected' && OVER.has(serverError);
}

export function refused(message: string): AuthFailure {
  return new AuthFailure('refused', message);
}

export function toServerError(word: unknown): ServerError | undefined {
  return SERVER_ERRORS.find((known) => known === word);
}
