import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Cli } from './cli.js';
import { connectAccount } from './connect-account.js';
import { HubClient } from './hub-client.js';

test('Ctrl-C gives up also before there is anything to wait for', async () => {
  const hubServer = createServer((_, response) => {
    process.emit('SIGINT', 'SIGINT');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ authorizationUrl: 'https://as.example.com/authorize' }));
  }).listen(0, '127.0.0.1');
  await once(hubServer, 'listening');
  const { port } = hubServer.address() as AddressInfo;
  const hub = new HubClient({ url: `http://127.0.0.1:${port}`, token: 'admin', tokenSource: '--token' });
  onTestFinished(async () => {
    await hub.close();
    hubServer.close();
  });
  const cli = { environment: {}, terminal: { note: () => {} } } as unknown as Cli;
  const options = { agent: undefined, account: undefined, browser: false };
  await expect(connectAccount(cli, hub, { id: 'linear' }, options)).rejects.toMatchObject({
    code: 'cancelled',
  });
});
