import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { ensureConsole } from '../support/console.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';
import { rawGet } from '../support/raw-get.js';

const FOLDER = join(ROOT, 'dist', 'ui');
const MOST_SCRIPT_BYTES = 250 * 1024;

let hub: TestHub;
let cookie: string;

beforeAll(async () => {
  await ensureConsole();
  hub = await startTestHub({ config: { agents: { ci: { keys: ['ci-key-0123456789abcdef'] } } } });
  cookie = await signIn(hub.adminToken);
});
afterAll(() => hub?.close());

async function signIn(secret: string): Promise<string> {
  const answer = await fetch(`${hub.url}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: hub.url },
    body: new URLSearchParams({ secret }),
    redirect: 'manual',
  });
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

function get(path: string, headers: Readonly<Record<string, string>> = { cookie }): Promise<Response> {
  return fetch(hub.url + path, { headers, redirect: 'manual' });
}

const assets = () => readdirSync(join(FOLDER, 'console'));

test('all scripts together stay below 250 KB compressed', () => {
  const scripts = assets().filter((name) => name.endsWith('.js'));
  const bytes = scripts.reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(FOLDER, 'console', name))).length,
    0,
  );
  expect(scripts.length).toBeGreaterThan(5);
  expect(bytes).toBeLessThan(MOST_SCRIPT_BYTES);
});

test('the page has nothing inline and nothing from elsewhere', () => {
  const page = readFileSync(join(FOLDER, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:/i);
});

test.each([
  '/',
  '/connectors',
  '/connectors/a/b',
  '/tools',
  '/agents/x',
  '/policies',
  '/events/calls/1?x=1',
  '/settings',
])('B4.1: %s is the page for a signed-in admin, is never kept, and has no data in it', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const policy = answer.headers.get('content-security-policy') ?? '';
  for (const part of [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
    expect(policy).toContain(part);
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe(readFileSync(join(FOLDER, 'index.html'), 'utf8'));
});

test('who is not signed in goes to sign in and comes back; an agent has no console', async () => {
  const answer = await get('/agents/x?tab=1', {});
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe('/sign-in?next=%2Fagents%2Fx%3Ftab%3D1');
  const agent = await signIn('ci-key-0123456789abcdef');
  expect((await get('/connectors', { cookie: agent })).headers.get('location')).toBe('/');
  expect(await (await get('/', { cookie: agent })).text()).toContain('Signed in as the agent ci');
  expect((await get('/', {})).headers.get('location')).toContain('/sign-in');
});

test('files are of their type, kept for good, and compressed for who takes that', async () => {
  const types = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  };
  for (const [extension, type] of Object.entries(types)) {
    const name = assets().find((each) => each.endsWith(`.${extension}`));
    const answer = await get(`/console/${name}`, { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-type')).toBe(type);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const plain = await get(`/console/${name}`, { 'accept-encoding': 'gzip;q=0' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await answer.text());
  }
});

test.each([
  '/console/',
  '/console/none.js',
  '/console/../index.html',
  '/console/../../package.json',
  '/console/%2e%2e/%2e%2e/package.json',
  '/console/..%2f..%2fpackage.json',
  '/console/%00',
  '/console//etc/passwd',
])('there is nothing at %s', async (path) => {
  expect(await rawGet(hub.url, path)).toBe(404);
});

test('nothing but looking', async () => {
  const answer = await fetch(`${hub.url}/connectors`, { method: 'POST', headers: { cookie } });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD');
  const head = await fetch(`${hub.url}/connectors`, { method: 'HEAD', headers: { cookie } });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe('');
});
