import { html } from 'hono/html';
import type { Agent } from '../../agents/index.js';
import { plainText } from '../pages/plain-text.js';
import { renderPage, type PageBody } from '../pages/page.js';
import { redirectSource, redirectTarget } from './client-metadata.js';

export interface ConsentQuestion {
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly clientUri: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** More than one: whoever is asked may choose. */
  readonly agents: readonly Agent[];
  readonly signedInAs: string;
  readonly csrfField: PageBody;
  readonly action: string;
}

/** Names the client, where it is answered, what it wants and whom it would act as. */
export function renderConsent(question: ConsentQuestion): Response {
  const { clientId, clientName, clientUri, redirectUri, scopes, agents, signedInAs } = question;
  const name = clientName ?? hostOf(clientId) ?? 'A program without a name';
  const chosen = agents[0];
  return renderPage({
    title: 'Allow access?',
    formTargets: [redirectSource(redirectUri)],
    body: html`<p><strong>${plainText(name)}</strong> wants to use the tools of this hub.</p>
      <p class="notice">
        The program chose this name itself. Allow it only if you have just started to connect it.
      </p>
      <dl>
        <dt>Program</dt>
        <dd class="mono">${plainText(clientId)}</dd>
        ${
          clientUri === undefined
            ? ''
            : html`<dt>Home page, as it says</dt>
                <dd class="mono">${plainText(clientUri)}</dd>`
        }
        <dt>The answer goes to</dt>
        <dd class="mono">${plainText(redirectTarget(redirectUri))}</dd>
        <dt>It asks for</dt>
        <dd class="mono">${plainText(scopes.join(' '))}</dd>
        <dt>Signed in as</dt>
        <dd>${plainText(signedInAs)}</dd>
      </dl>
      <form method="post" action="${question.action}">
        ${question.csrfField}
        ${agents.length === 1 && chosen !== undefined ? fixedAgent(chosen) : agentChoice(agents)}
        <p class="quiet">It may do what the policies allow this agent, until you or an admin take it back.</p>
        <div class="choices">
          <button type="submit" name="decision" value="allow">Allow</button>
          <button class="second" type="submit" name="decision" value="deny">Deny</button>
        </div>
      </form>`,
  });
}

function fixedAgent({ id, name }: Agent): PageBody {
  return html`<input type="hidden" name="agent" value="${id}" />
    <p>It would act as <strong>${plainText(name)}</strong> <span class="mono">(${id})</span>.</p>`;
}

function agentChoice(agents: readonly Agent[]): PageBody {
  return html`<label for="agent">It acts as</label>
    <select id="agent" name="agent" required>
      ${agents.map(({ id, name }) => html`<option value="${id}">${plainText(name)} (${id})</option>`)}
    </select>`;
}

/** Of a client that is known by the address of its description. */
function hostOf(clientId: string): string | undefined {
  return clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined;
}
