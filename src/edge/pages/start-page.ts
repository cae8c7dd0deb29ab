import { html } from 'hono/html';
import type { Agent, BrowserSession } from '../../agents/index.js';
import type { BrowserGate } from './browser-cookie.js';
import { renderPage } from './page.js';
import { plainText } from './plain-text.js';
import { nameOf } from './sign-in-page.js';

export interface StartPage {
  readonly session: BrowserSession;
  readonly gate: Pick<BrowserGate, 'csrfField'>;
  readonly mcpUrl: string;
  /** With their names, for those who may see them. */
  readonly agents: readonly Agent[];
}

/** Who one is, where clients connect, and the way out. */
export function renderStart({ session, gate, mcpUrl, agents }: StartPage): Response {
  return renderPage({
    title: `Signed in as ${nameOf(session.principal)}`,
    body: html`<dl>
        <dt>MCP endpoint for clients</dt>
        <dd><code>${mcpUrl}</code></dd>
        ${
          agents.length === 0
            ? ''
            : html`<dt>Agents</dt>
                <dd>
                  <ul>
                    ${agents.map(({ id, name }) => html`<li><bdi>${plainText(name)}</bdi> <code>${id}</code></li>`)}
                  </ul>
                </dd>`
        }
      </dl>
      <form method="post" action="/sign-out">
        ${gate.csrfField(session)}
        <button type="submit" class="second">Sign out</button>
      </form>`,
  });
}
