import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConnector } from '../../connectors/index.js';
import { checkConnection } from './check-connection.js';

let asked = 0;
const canary = createServer((_request, response) => {
  asked++;
  response.writeHead(404).end();
});
canary.on('connection', () => asked++);
beforeAll(() => new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve)));
afterAll(() => canary.close());

const connector = (host: string, allowPrivateNetwork: boolean) => ({
  ...parseConnector(
    'c',
    { url: `http://${host}:${(canary.address() as AddressInfo).port}/mcp` },
    { source: 'file', now: 0 },
  ),
  allowPrivateNetwork,
});

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
  'a private address at %s is not dialled for a connector that may not reach it',
  async (host) => {
    expect(await checkConnection(connector(host, false))).toMatchObject([{ step: 'dns', state: 'failed' }]);
    expect(asked).toBe(0);
  },
);

test('where it may, it is', async () => {
  const steps = await checkConnection(connector('127.0.0.1', true));
  expect(steps.map(({ step }) => step)).toContain('tcp');
  expect(asked).toBeGreaterThan(0);
});
