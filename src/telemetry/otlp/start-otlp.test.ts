import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '../../kernel/index.js';
import { MetricRegistry } from '../metric-registry.js';
import { startOtlp } from './start-otlp.js';

/** Answers with what is asked for at the time. */
async function openCollector(statusOf: () => number): Promise<string> {
  const server: Server = createServer((request, response) =>
    request
      .resume()
      .on('end', () => response.writeHead(statusOf(), { 'content-type': 'application/json' }).end('{}')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function start(metricsUrl: string, intervalMs: number) {
  const lines: unknown[] = [];
  const quiet = (): void => {};
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: quiet,
    child: (part) => ({
      ...logger,
      info: (fields, message) => void lines.push([{ ...part, ...fields }, message]),
      warn: (fields, message) => void lines.push([{ ...part, ...fields }, message]),
    }),
  };
  const settings = {
    tracesUrl: undefined,
    metricsUrl,
    headers: {},
    sampleRatio: 1,
    followsParent: true,
    intervalMs,
    serviceName: 'crosspoint',
    resource: {},
  };
  const registry = new MetricRegistry(0);
  registry.counter('something', 'There is something to send.', []).add();
  return { lines, otlp: startOtlp({ settings, registry, version: '1', instance: 'a', logger }) };
}

test('that a collector refuses is told without the path of its address, which may be what lets us in', async () => {
  const origin = await openCollector(() => 400);
  const { lines, otlp } = start(`${origin}/otlp/MzQ1Njc4OTAtYWJjZGVmMTIz/v1/metrics`, 60_000);
  await (await otlp).close();
  expect(lines).toEqual([
    [{ endpoint: origin, signal: 'metrics', reason: 400 }, 'telemetry could not be sent'],
  ]);
});

test('that a collector refuses is told once, and once that it takes again', async () => {
  let status = 401;
  let asked = 0;
  const origin = await openCollector(() => (asked++, status));
  const { lines, otlp } = start(`${origin}/v1/metrics`, 50);
  const { close } = await otlp;
  await vi.waitFor(() => expect(asked).toBeGreaterThan(3), { timeout: 10_000 });
  status = 200;
  await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 10_000 });
  await close();
  expect(lines).toEqual([
    [{ endpoint: origin, signal: 'metrics', reason: 401 }, 'telemetry could not be sent'],
    [{ endpoint: origin, signal: 'metrics' }, 'telemetry can be sent again'],
  ]);
});

test('a collector that is away is told of with what says so', async () => {
  // Too short for trying it again.
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { lines, otlp } = start('http://127.0.0.1:9/v1/metrics', 60_000);
  await (await otlp).close();
  expect(lines).toEqual([
    [
      { endpoint: 'http://127.0.0.1:9', signal: 'metrics', reason: 'ECONNREFUSED' },
      'telemetry could not be sent',
    ],
  ]);
});
