/**
 * Why a step of the exchange did not succeed.
 *
 * - `refused`: what a server published or answered is not acceptable; we stopped.
 * - `rejected`: the server said no, with an error of its own.
 * - `unavailable`: it may work later.
 */
export type AuthFailureKind = 'refused' | 'rejected' | 'unavailable';

/** Errors servers may name (RFC 6749, 6750, 7591, 8707). Any other word of theirs is not repeated. */
const SERVER_ERRORS = [
  'access_denied',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const;

export type ServerError = (typeof SERVER_ERRORS)[number];

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

export function refused(message: string): AuthFailure {
  return new AuthFailure('refused', message);
}

export function toServerError(word: unknown): ServerError | undefined {
  return SERVER_ERRORS.find((known) => known === word);
}
