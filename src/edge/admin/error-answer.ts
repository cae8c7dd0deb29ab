import type { ErrorAnswer } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import { ERROR_FACES } from '../error-faces.js';

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorAnswer;
}

/** A failure as the admin API shows it. Unexpected ones show nothing of themselves. */
export function toFailedAnswer(error: unknown): FailedAnswer {
  if (!(error instanceof HubError) || error.code === 'internal')
    return failed('internal', 'internal error', {}, {});
  const { code, message, details, retryAfterMs, outcomeUnknown } = error;
  return failed(
    code,
    message,
    {
      ...details,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(outcomeUnknown && { outcomeUnknown }),
    },
    {
      ...(retryAfterMs !== undefined && {
        'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
      }),
      ...(code === 'unauthenticated' && { 'www-authenticate': 'Bearer realm="crosspoint admin"' }),
      ...(Array.isArray(details?.['allow']) && { allow: details['allow'].join(', ') }),
    },
  );
}

function failed(
  code: HubError['code'],
  message: string,
  details: Readonly<Record<string, unknown>>,
  headers: FailedAnswer['headers'],
): FailedAnswer {
  const shown = Object.keys(details).length === 0 ? {} : { details };
  return { status: ERROR_FACES[code].admin, headers, body: { error: { code, message, ...shown } } };
}
