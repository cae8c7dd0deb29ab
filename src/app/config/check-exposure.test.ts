import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.js';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-exposure-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function load(file: object) {
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(file));
  return loadConfig({ flags: {}, environment: {}, folder, now: 0 });
}

describe('settings that cannot be kept', () => {
  test.each<[string, object]>([
    ['server.allowedOrigins', { server: { allowedOrigins: ['https://good.example', 'nonsense'] } }],
    ['server.allowedOrigins', { server: { allowedOrigins: ['https://app.example/path'] } }],
    ['server.allowedOrigins', { server: { allowedOrigins: ['null'] } }],
    ['server.allowedOrigins', { server: { allowedOrigins: ['*'] } }],
    ...['*', '*.hub.example', 'https://hub.example', 'hub.example/', 'hub.example:', 'hub example', ''].map(
      (host): [string, object] => [
        'server.allowedHosts',
        { server: { allowedHosts: ['hub.example', host] } },
      ],
    ),
    ['server.trustedProxies', { server: { trustedProxies: ['10.0.0.0/8', 'proxy.example'] } }],
    ['server.trustedProxies', { server: { trustedProxies: ['10.0.0.1/8'] } }],
    ['server.trustedProxies', { server: { trustedProxies: ['0.0.0.0/0'] } }],
    ['server.trustedProxies', { server: { trustedProxies: [''] } }],
    ['server.trustedProxies', { server: { trustedProxies: '10.0.0.1' } }],
    ['server.publicUrl', { server: { publicUrl: 'ftp://hub.example' } }],
    ...[
      'https://hub.example/crosspoint',
      'https://hub.example/?a=b',
      'https://hub.example/#a',
      'https://user@hub.example',
    ].map((publicUrl): [string, object] => [
      'server.publicUrl: must be an origin, which looks like https://hub.example.com',
      { server: { publicUrl } },
    ]),
    ['storage.url', { storage: { url: 'mysql://db/hub' } }],
    ['storage.url', { storage: { url: 'hub.db' } }],
    ['storage.url', { storage: { url: 'postgres:db' } }],
    ['coordination.url', { coordination: { url: 'redis' } }],
    ['coordination.url', { coordination: { url: 'redis://' } }],
    ['coordination.url', { coordination: { url: 'https://redis.example' } }],
    ['coordination.url', { coordination: { url: 'memory' } }],
    ['server.workers', { server: { workers: 2 }, storage: { url: 'sqlite::memory:' } }],
    ['server.workers', { server: { workers: 2 }, storage: { url: 'postgres://db/hub' } }],
    ['server.workers', { server: { workers: 2 }, coordination: { url: 'redis://redis' } }],
    [
      'server.workers',
      { server: { workers: 2 }, storage: { url: 'sqlite:hub.db' }, coordination: { url: 'redis://redis' } },
    ],
    ['server.workers', { server: { workers: 0 } }],
    ['refusing to listen on 0.0.0.0', { server: { host: '0.0.0.0' } }],
    ['refusing to listen on ::', { server: { host: '::' } }],
  ])('stop the start: %s in %j', (problem, file) => {
    expect(() => load(file)).toThrowError(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining(problem) as string,
      }),
    );
  });

  test.each<object>([
    {
      server: {
        allowedOrigins: ['https://app.example', 'http://App.Example:3000/'],
        publicUrl: 'https://hub.example',
      },
    },
    { server: { publicUrl: 'https://Hub.Example:443/' } },
    { server: { host: '0.0.0.0' }, admin: { token: 'kT4v9QmZx2LwRb7NcJ8s' } },
    { server: { host: '::1' } },
    {
      server: { allowedHosts: ['Hub.Example', 'my_hub', 'hub.example:8443', '10.1.2.3', '[2001:db8::1]:80'] },
    },
    { server: { trustedProxies: [] } },
    { server: { trustedProxies: ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/32'] } },
    { coordination: { url: 'memory:' } },
    { server: { workers: 1 } },
    { server: { workers: 2 } },
    {
      server: { workers: 2 },
      storage: { url: 'postgres://db/hub' },
      coordination: { url: 'rediss://redis' },
    },
    { coordination: { url: 'redis://:password@127.0.0.1:6379/1' } },
    { coordination: { url: 'rediss://user:password@redis.example' } },
  ])('others do not: %j', (file) => {
    expect(() => load(file)).not.toThrow();
  });
});
