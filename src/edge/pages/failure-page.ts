import { html } from 'hono/html';
import { HubError, type HubErrorCode } from '../../kernel/index.js';
import { ERROR_FACES } from '../error-faces.js';
import { renderPage } from './page.js';
import { plainText } from './plain-text.js';

const TITLES: Readonly<Partial<Record<HubErrorCode, string>>> = {
  unauthenticated: 'Not signed in',
  forbidden: 'Not allowed',
  not_found: 'Nothing here',
  rate_limited: 'Too many attempts',
  method_not_allowed: 'Not possible here',
};

/** A failure as a person meets it, with a page of ours to go on at. Unexpected ones show nothing of themselves. */
export function renderFailure(error: unknown, returnTo?: string): Response {
  const known =
    error instanceof HubError && error.code !== 'internal'
      ? error
      : new HubError('internal', 'something went wrong in the hub');
  const { code, message, retryAfterMs, details } = known;
  const headers = new Headers();
  if (retryAfterMs !== undefined)
    headers.set('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  if (Array.isArray(details?.['allow'])) headers.set('allow', details['allow'].join(', '));
  return renderPage({
    title: TITLES[code] ?? 'That did not work',
    body: html`<p class="notice bad" role="alert">${toSentence(plainText(message))}</p>
      <p><a href="${returnTo ?? '/'}">${returnTo === undefined ? 'Go to the start page' : 'Go back'}</a></p>`,
    status: ERROR_FACES[code].admin,
    headers,
  });
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}
