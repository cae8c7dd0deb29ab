import { html } from 'hono/html';
import type { BrowserSession } from '../../agents/index.js';
import type { Connector } from '../../connectors/index.js';
import { HubError } from '../../kernel/index.js';
import type { ConnectedAccount, ConnectPage } from '../../operations/index.js';
import type { BrowserGate } from '../pages/browser-cookie.js';
import { renderFailure } from '../pages/failure-page.js';
import { renderPage } from '../pages/page.js';
import { plainText } from '../pages/plain-text.js';

/** What people see of an account connection. Nothing an authorization server wrote stands on any of these. */

export function renderConnected({ connector, credential, sync, returnTo }: ConnectedAccount): Response {
  const { owner } = credential;
  const whose = owner.kind === 'shared' ? 'everybody who may use it' : `agent ${owner.agent}`;
  const found =
    sync?.state === 'done'
      ? html`<p>Discovered ${sync.report.tools} tools.</p>`
      : sync?.state === 'failed'
        ? html`<p>The account is stored, but the tools could not be listed yet.</p>`
        : '';
  return renderPage({
    title: 'Connected',
    body: html`<p class="notice good" role="status">
        ${plainText(connector.name)} is connected for ${plainText(whose)}.
      </p>
      ${found}
      ${
        returnTo === undefined
          ? html`<p>You can close this window.</p>`
          : html`<p><a class="button" href="${returnTo}">Go on</a></p>`
      }`,
  });
}

/** A refusal is about what the browser brought, however it looks in the admin API. */
export function renderRefusal(error: unknown, returnTo?: string): Response {
  const page = renderFailure(error, returnTo);
  const isRefusal =
    error instanceof HubError && (error.code === 'oauth_refused' || error.code === 'credential_required');
  return isRefusal ? new Response(page.body, { status: 400, headers: page.headers }) : page;
}

/** Asks before anything leaves for another server. */
export function renderConnectQuestion(
  gate: Pick<BrowserGate, 'csrfField'>,
  session: BrowserSession,
  { agent }: ConnectPage,
  { name, id }: Connector,
): Response {
  return renderPage({
    title: `Connect ${plainText(name, 80)}`,
    body: html`<p>Your client wants to use ${plainText(name)} (${id}) as agent ${agent}.</p>
      <p>
        You will sign in at the service itself. The hub keeps what it is given there for agent ${agent} only,
        and shows it to nobody.
      </p>
      <form method="post">
        ${gate.csrfField(session)}
        <button type="submit">Continue</button>
      </form>
      <p class="quiet">If you did not ask for this, close this window.</p>`,
  });
}

/** A link, not a redirect: forms of ours lead to ourselves only, and people see where they are going. */
export function renderConnectLink({ name }: Connector, authorizationUrl: string): Response {
  return renderPage({
    title: `Sign in to ${plainText(name, 80)}`,
    body: html`<p>The sign-in is at <span class="mono">${new URL(authorizationUrl).host}</span>.</p>
      <p><a class="button" href="${authorizationUrl}" rel="noreferrer">Go there</a></p>`,
  });
}
