import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from './config.js';
import { loadConfig } from './load-config.js';
import { findNextStartSettings, isSameConfig } from './next-start.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-next-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(file: unknown, now = 1): Config {
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(file));
  return loadConfig({ flags: {}, environment: {}, folder, now });
}

const issuer = (clientSecret: string) => ({
  issuer: 'https://id.example.com',
  introspection: { url: 'https://id.example.com/introspect', clientId: 'hub', clientSecret },
  agents: { map: { a: 'ci' } },
});
const collector = (key: string) => ({
  telemetry: { otlp: { endpoint: 'https://otel.example.com', headers: { 'x-key': key } } },
});

test.each<readonly [object, object, readonly string[]]>([
  [{}, {}, []],
  [{}, { server: { port: 9_000 } }, ['server.port']],
  [{ server: { port: 9_000 } }, {}, ['server.port']],
  [{}, { limits: { perAgent: { perSecond: 1, burst: 2 } } }, ['limits.perAgent']],
  [{}, { outputCheck: 'refuse', idempotencyKeys: true }, ['outputCheck', 'idempotencyKeys']],
  [{}, { storage: { url: 'sqlite:other.db' } }, ['storage.url']],
  [{}, { audit: { maxDays: 3 }, sync: { intervalMs: 0 } }, ['audit.maxDays', 'sync.intervalMs']],
  [
    { admin: { token: 'a-long-and-random-token-0123456789' } },
    { admin: { token: 'another-long-random-token-0123456' } },
    ['admin.token'],
  ],
  [{ auth: { issuers: [issuer('one')] } }, { auth: { issuers: [issuer('one')] } }, []],
  [{ auth: { issuers: [issuer('one')] } }, { auth: { issuers: [issuer('two')] } }, ['auth.issuers']],
  [collector('one'), collector('one'), []],
  [collector('one'), collector('two'), ['telemetry.otlp']],
])('from %j to %j: %j wait for the next start', (before, after, expected) => {
  expect(findNextStartSettings(load(before), load(after, 2))).toEqual(expected);
});

test('what is taken up at once does not wait', () => {
  const after = {
    agents: { ci: { tags: ['a'] } },
    connectors: { a: { url: 'http://127.0.0.1:1' } },
    toolsets: { one: { tools: ['a__*'] } },
    admin: { accounts: { eve: { role: 'viewer', token: 'a-long-and-random-token-0123456789' } } },
    telemetry: { metrics: 'open' },
  };
  expect(findNextStartSettings(load({}), load(after, 2))).toEqual([]);
});

const secretive = (token: string, cedar = 'permit(principal, action, resource);') => {
  writeFileSync(join(folder, 'one.cedar'), cedar);
  return {
    policies: ['./*.cedar'],
    agents: { ci: { tags: ['a'] } },
    connectors: { a: { url: 'http://127.0.0.1:1', headers: { 'x-key': token } }, b: { command: 'node' } },
    admin: { accounts: { eve: { role: 'viewer', token: `a-long-and-random-token-${token}` } } },
  };
};

test('a configuration that was read twice is the same as long as nothing of it changed, secrets and policies included', () => {
  const before = load(secretive('0123456789'));
  expect(isSameConfig(before, load(secretive('0123456789')))).toBe(true);
  expect(isSameConfig(before, load(secretive('9876543210')))).toBe(false);
  expect(isSameConfig(before, load(secretive('0123456789', 'forbid(principal, action, resource);')))).toBe(
    false,
  );
});
