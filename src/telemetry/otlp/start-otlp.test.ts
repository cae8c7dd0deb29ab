import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Logger } from '../../kernel/index.js';
import { MetricRegistry } from '../metric-registry.js';
import { startOtlp } from './start-otlp.js';

test('that a collector refuses is told without the path of its address, which may be what lets us in', async () => {
  const lines: unknown[] = [];
  const quiet = (): void => {};
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: (fields, message) => void lines.push([fields, message]),
    error: quiet,
    child: () => logger,
  };
  const collector = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(400).end()),
  );
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const otlp = await startOtlp({
    settings: {
      tracesUrl: undefined,
      metricsUrl: `${origin}/otlp/MzQ1Njc4OTAtYWJjZGVmMTIz/v1/metrics`,
      headers: {},
      sampleRatio: 1,
      followsParent: true,
      intervalMs: 60_000,
      serviceName: 'crosspoint',
      resource: {},
    },
    registry: new MetricRegistry(0),
    version: '1',
    instance: 'a',
    logger,
  });
  await otlp.close();
  collector.closeAllConnections();
  collector.close();
  expect(lines).toContainEqual([{ endpoint: origin }, 'telemetry could not be sent']);
  expect(JSON.stringify(lines)).not.toContain('MzQ1');
});
