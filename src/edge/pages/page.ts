import { html } from 'hono/html';
import { plainText } from './plain-text.js';

/** What the `html` tag makes: every value in it was escaped. */
export type PageBody = ReturnType<typeof html>;

export interface Page {
  readonly title: string;
  readonly body: PageBody;
  readonly status?: number;
  readonly headers?: Headers | Record<string, string>;
  /** Origins besides our own, or schemes, that a form of this page may lead to, for example by a redirect after it was sent. */
  readonly formTargets?: readonly string[];
}

export const STYLESHEET_PATH = '/assets/pages.css';

const FORM = /<form[\s>]/;
/** A web origin, or the scheme of a program on the same machine. */
const FORM_TARGET = /^(?:https?:\/\/[^\s;,'"]+|(?!javascript:|data:)[a-z][a-z0-9+.-]*:)$/i;

/** A whole page that works without scripts. Nothing is kept, framed or told to other sites. */
export function renderPage({ title, body, status = 200, headers, formTargets = [] }: Page): Response {
  const content = toText(body);
  const text = toText(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${plainText(title)} · Crosspoint</title>
          <link rel="stylesheet" href="${STYLESHEET_PATH}" />
        </head>
        <body>
          <header><span class="brand">Crosspoint</span></header>
          <main>
            <h1>${plainText(title)}</h1>
            ${body}
          </main>
        </body>
      </html> `,
  );
  const given = new Headers(headers);
  for (const [name, value] of Object.entries(pageHeaders(FORM.test(content), formTargets)))
    given.set(name, value);
  return new Response(text, { status, headers: given });
}

/** The tag makes a promise only where a promise was put in. */
function toText(body: PageBody): string {
  if (body instanceof Promise) throw new TypeError('a page is rendered when everything on it is known');
  return body.toString();
}

function pageHeaders(hasForm: boolean, formTargets: readonly string[]): Readonly<Record<string, string>> {
  const wrong = formTargets.find((target) => !FORM_TARGET.test(target));
  if (wrong !== undefined) throw new TypeError('a form cannot lead there');
  const forms = hasForm ? ["'self'", ...formTargets].join(' ') : "'none'";
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
    // Under `no-referrer` browsers send forms with `Origin: null` (Fetch, "append a request Origin header"), and then a
    // form of our own cannot be told from a stranger's. Other sites learn nothing either way.
    'referrer-policy': hasForm ? 'same-origin' : 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** Leads on to an address of this hub or, after everything was checked, to somebody else's. Never kept. */
export function redirectTo(location: string, headers?: Headers | Record<string, string>): Response {
  const given = new Headers(headers);
  given.set('location', location);
  given.set('cache-control', 'no-store');
  given.set('referrer-policy', 'no-referrer');
  // 303: whatever was sent to us is not sent on.
  return new Response(null, { status: 303, headers: given });
}
