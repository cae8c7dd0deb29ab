import { html } from 'hono/html';
import type { BrowserPrincipal } from '../../agents/index.js';
import { renderPage } from './page.js';
import { plainText } from './plain-text.js';

export interface SignInPage {
  /** Where to go afterwards; checked already. */
  readonly next: string;
  /** From a sign-in link. It is used up by the button, never by looking at the page. */
  readonly code?: string | undefined;
  /** Who is signed in with this browser now. */
  readonly as?: BrowserPrincipal | undefined;
  /** The identity provider's name, where there is one. */
  readonly provider?: string | undefined;
  readonly problem?: string;
  readonly status?: number;
}

export function renderSignIn({ next, code, as, provider, problem, status = 200 }: SignInPage): Response {
  const nextField = html`<input type="hidden" name="next" value="${next}" />`;
  const notices = html`${problem === undefined ? '' : html`<p class="notice bad" role="alert">${problem}</p>`}
  ${as === undefined ? '' : html`<p class="notice">You are signed in as ${nameOf(as)}. Signing in again replaces that.</p>`}`;
  if (code !== undefined)
    return renderPage({
      title: 'Sign in',
      status,
      body: html`${notices}
        <p>This link signs this browser in, once.</p>
        <form method="post" action="/sign-in">
          ${nextField}
          <input type="hidden" name="code" value="${code}" />
          <button type="submit">Sign in</button>
        </form>`,
    });
  return renderPage({
    title: 'Sign in',
    status,
    body: html`${notices}
      ${
        provider === undefined
          ? ''
          : html`<p>
                <a class="button" href="/sign-in/provider?next=${encodeURIComponent(next)}"
                  >Sign in with ${plainText(provider)}</a
                >
              </p>
              <h2>Or with a token</h2>`
      }
      <form method="post" action="/sign-in">
        ${nextField}
        <label for="secret">Admin token or agent key</label>
        <p class="hint" id="secret-hint">
          On the machine of the hub, <code>crosspoint sign-in-link</code> prints a link that needs neither.
        </p>
        <input type="text" autocomplete="username" value="crosspoint" readonly hidden />
        <input
          type="password"
          id="secret"
          name="secret"
          required
          maxlength="1024"
          autocomplete="current-password"
          autocapitalize="off"
          spellcheck="false"
          aria-describedby="secret-hint"
        />
        <button type="submit" class="${provider === undefined ? '' : 'second'}">Sign in</button>
      </form>`,
  });
}

/** Of a principal, for people. */
export function nameOf(principal: BrowserPrincipal): string {
  const name = plainText(principal.id);
  return principal.kind === 'agent' ? `the agent ${name}` : `${name} (${principal.role})`;
}
