import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { describeConfig } from './describe-config.js';
import { loadConfig } from './load-config.js';

test('of the address of a connector nothing is shown that may be a secret', () => {
  const environment = {
    MCP_SERVER_DB_URL: 'https://db.example/s/MzQ1Njc4OTAtYWJjZGVmMTIz==/mcp?key=abc',
    CROSSPOINT_STORAGE_URL: 'postgres://hub:hunter2@db.example/hub',
  };
  const lines = describeConfig(loadConfig({ flags: {}, environment, folder: tmpdir(), now: 0 }));
  const valueOf = (path: string): unknown => lines.find((line) => line.path === path)?.value;
  expect(valueOf('connectors.db')).toMatchObject({ url: 'https://db.example/s/***/mcp?key=***' });
  expect(valueOf('storage.url')).toBe('postgres://hub:***@db.example/hub');
});

test('nor is it of the address of a collector', () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.example/otlp/MzQ1Njc4OTAtYWJjZGVmMTIz' };
  const lines = describeConfig(loadConfig({ flags: {}, environment, folder: tmpdir(), now: 0 }));
  expect(lines.find(({ path }) => path === 'telemetry.otlp.endpoint')?.value).toEqual([
    'https://a.example/otlp/***/v1/traces',
    'https://a.example/otlp/***/v1/metrics',
  ]);
});
