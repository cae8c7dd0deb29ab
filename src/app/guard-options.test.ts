import { networkInterfaces, tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { loadConfig } from './config/load-config.js';
import { guardOptions } from './guard-options.js';

const config = loadConfig({
  flags: {},
  environment: {
    CROSSPOINT_HOST: '0.0.0.0',
    CROSSPOINT_PUBLIC_URL: 'https://hub.example',
    CROSSPOINT_ADMIN_TOKEN: 'admin-secret-0123456789abcdef',
  },
  folder: tmpdir(),
  now: 0,
});

test('a hub on all addresses is known by each of them', () => {
  const [address] = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  expect(guardOptions(config).hosts).toContain(
    address?.family === 'IPv6' ? `[${address.address}]` : address?.address,
  );
});

test('where the system does not tell them it goes by its names', () => {
  const { hosts } = guardOptions(config, () => {
    throw new Error('uv_interface_addresses returned EAFNOSUPPORT');
  });
  expect(hosts).toEqual(expect.arrayContaining(['hub.example', 'localhost']));
});
