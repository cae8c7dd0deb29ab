import { html } from 'hono/html';
import { describe, expect, test } from 'vitest';
import { HubError } from '../../kernel/index.js';
import { renderFailure } from './failure-page.js';
import { redirectTo, renderPage } from './page.js';
import { plainText } from './plain-text.js';
import { toReturnPath } from './return-path.js';

const HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'`&';

describe('pages', () => {
  test('B4.7 B6.8: what surrounds every page', async () => {
    const page = renderPage({ title: 'T', body: html`<p>x</p>` });
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const text = await page.text();
    expect(text).toContain('<p>x</p>');
    expect(text).not.toMatch(/<script|<style|style=|onload|https?:/);
  });

  test('a page with a form may send it here, and tells its origin', () => {
    const page = renderPage({
      title: 'T',
      body: html`<form method="post"></form>`,
      formTargets: ['https://app.example', 'cursor:'],
    });
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://app.example cursor:;",
    );
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
  });

  test.each([["x; script-src 'unsafe-inline'"], ['javascript:'], ['data:'], ["'self' *"], ['']])(
    'a form cannot lead to %s',
    (target) => {
      expect(() => renderPage({ title: 'T', body: html`<form></form>`, formTargets: [target] })).toThrow(
        TypeError,
      );
    },
  );

  test('B4.7: hostile text stays text, wherever it stands', async () => {
    const text = await renderPage({
      title: HOSTILE,
      body: html`<p title="${HOSTILE}">${HOSTILE}</p>`,
    }).text();
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;script&gt;');
    expect(text.match(/<p title="[^"]*">/)).not.toBeNull();
  });

  test('a form in hostile text makes no form', () => {
    const page = renderPage({ title: 'T', body: html`<p>${'<form action=https://evil.example>'}</p>` });
    expect(page.headers.get('content-security-policy')).toContain("form-action 'none'");
  });

  test('nothing given can weaken the headers', () => {
    const headers = { 'content-security-policy': '*', 'cache-control': 'public', 'x-other': 'kept' };
    const page = renderPage({ title: 'T', body: html`x`, headers });
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-other')).toBe('kept');
  });

  test('redirects are never kept', () => {
    const answer = redirectTo('/next', { 'set-cookie': 'a=b' });
    expect(answer.status).toBe(303);
    expect(Object.fromEntries(answer.headers)).toEqual({
      location: '/next',
      'set-cookie': 'a=b',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('failures as pages', () => {
  test.each([
    [new HubError('forbidden', 'this is not for you'), 403, 'This is not for you.'],
    [new HubError('rate_limited', 'wait', { retryAfterMs: 1_500 }), 429, 'Wait.'],
    [new HubError('internal', 'secret detail'), 500, 'Something went wrong in the hub.'],
    [new TypeError('secret detail'), 500, 'Something went wrong in the hub.'],
  ])('%s', async (error, status, shown) => {
    const page = renderFailure(error);
    const text = await page.text();
    expect(page.status).toBe(status);
    expect(text).toContain(shown);
    expect(text).not.toContain('secret detail');
    expect(page.headers.get('retry-after')).toBe(status === 429 ? '2' : null);
  });
});

describe('text of others', () => {
  test.each([
    ['plain', 'plain'],
    ['Zoë 東京 👍', 'Zoë 東京 👍'],
    ['a\u0000b\u001b[31mc\nd', 'a\\u{0}b\\u{1b}[31mc\\u{a}d'],
    ['abc\u202egnp.exe', 'abc\\u{202e}gnp.exe'],
    ['\u2066x\u2069\u200b\ufeff', '\\u{2066}x\\u{2069}\\u{200b}\\u{feff}'],
    ['lone \ud800 half', 'lone \\u{d800} half'],
    ['x'.repeat(10_000), `${'x'.repeat(200)}…`],
    ['👍'.repeat(200), '👍'.repeat(200)],
    ['👍'.repeat(201), `${'👍'.repeat(200)}…`],
  ])('%#', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });
});

describe('where to go after signing in', () => {
  test.each([
    ['/', '/'],
    ['/settings', '/settings'],
    ['/connectors/crm', '/connectors/crm'],
    ['/oauth/connect/abc', '/oauth/connect/abc'],
    ['/oauth/authorize?client_id=x&state=%2f', '/oauth/authorize?client_id=x&state=%2f'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['/%2f%2fevil.example', '/'],
    ['%2f%2fevil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['https://evil.example/', '/'],
    ['/\t/evil.example', '/'],
    ['/oauth/..//evil.example', '/'],
    ['/oauth/%2e%2e//evil.example', '/'],
    ['/oauth/\\..\\..\\\\evil.example', '/'],
    ['/oauth//evil.example', '/'],
    ['/oauth/x#fragment', '/'],
    ['/sign-out', '/'],
    ['/api/v1/status', '/'],
    ['/mcp', '/'],
    [' /', '/'],
    ['', '/'],
    [`/oauth/${'x'.repeat(5_000)}`, '/'],
  ])('O-15 B6.7: %j leads to %j', (next, path) => {
    expect(toReturnPath(next)).toBe(path);
  });
  test('nothing leads to the start page', () => {
    expect(toReturnPath(null)).toBe('/');
    expect(toReturnPath(undefined)).toBe('/');
  });
});
