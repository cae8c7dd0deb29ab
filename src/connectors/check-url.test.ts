import { describe, expect, test } from 'vitest';
import { checkUrl, isPrivateAddress, isPrivateHost } from './check-url.js';

/** Every way to write an address that a stranger's connector must not reach. */
const PRIVATE = [
  'https://127.0.0.1',
  'https://127.1',
  'https://127.255.255.254',
  'https://2130706433',
  'https://0x7f000001',
  'https://0x7f.1',
  'https://0177.0.0.1',
  'https://0177.0.0.0x1',
  'https://127.0.0.1.',
  'https://127.0.0.1:8080/mcp',
  'https://[::1]',
  'https://[0:0:0:0:0:0:0:1]',
  'https://[::]',
  'https://[::ffff:127.0.0.1]',
  'https://[::ffff:7f00:1]',
  'https://[::ffff:0:127.0.0.1]',
  'https://[::127.0.0.1]',
  'https://[64:ff9b::7f00:1]',
  'https://[64:ff9b::10.0.0.1]',
  'https://[64:ff9b:1::7f00:1]',
  'https://[2002:7f00:1::]',
  'https://[2002:a00:1::]',
  'https://[2001:0:7f00:1::]',
  'https://[fec0::1]',
  'https://[fe80::1]',
  'https://[fc00::1]',
  'https://[fd00:ec2::254]',
  'https://[ff02::1]',
  'https://[2001:db8::1]',
  'https://[100::1]',
  'https://[::8.8.8.8]',
  'https://[4000::1]',
  'https://0.0.0.0',
  'https://0',
  'https://10.0.0.1',
  'https://172.16.0.1',
  'https://172.31.255.255',
  'https://192.168.1.1',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1',
  'https://168.63.129.16/machine',
  'https://192.0.0.1',
  'https://192.0.2.1',
  'https://198.18.0.1',
  'https://198.51.100.1',
  'https://203.0.113.1',
  'https://224.0.0.1',
  'https://240.0.0.1',
  'https://255.255.255.255',
  'https://localhost',
  'https://LOCALHOST',
  'https://localhost.',
  'https://app.localhost',
  'https://ⓛocalhost',
  'https://１２７.0.0.1',
  'https://127。0。0。1',
];

describe('addresses a stranger may not name', () => {
  test.each(PRIVATE)('B2.2: %s', (url) => {
    expect(() => checkUrl(url, false)).toThrow(/^url: points into a private network/);
    expect(checkUrl(url, true)).toBeInstanceOf(URL);
  });

  test.each([
    'https://8.8.8.8',
    'https://[2606:4700::1111]',
    'https://mcp.example.com/mcp',
    'https://172.32.0.1',
    'https://localhost.example.com',
  ])('%s is public', (url) => {
    expect(checkUrl(url, false).protocol).toBe('https:');
  });

  test.each([
    ['http://mcp.example.com/mcp', /must be https outside private networks/],
    ['ftp://mcp.example.com', /must begin with https/],
    ['file:///etc/passwd', /must begin with https/],
    ['javascript:alert(1)', /must begin with https/],
    ['https://user:pass@mcp.example.com', /user name or password/],
    ['https://user@127.0.0.1', /user name or password/],
    ['https://:pass@mcp.example.com', /user name or password/],
    ['https://mcp.example.com/#x', /fragment/],
    ['mcp.example.com', /is not a URL/],
    ['', /is not a URL/],
    ['https://', /is not a URL/],
    ['https://exa mple.com', /is not a URL/],
  ])('%s is refused', (url, message) => {
    expect(() => checkUrl(url, false)).toThrow(message);
    expect(() => checkUrl(url, false, 'auth.issuer')).toThrowError(
      expect.objectContaining({ code: 'invalid_request', details: { field: 'auth.issuer' } }),
    );
  });
});

describe('addresses as they are dialled', () => {
  test.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:10.0.0.1', true],
    ['64:ff9b::7f00:1', true],
    ['fe80::1%eth0', true],
    ['169.254.169.254', true],
    ['168.63.129.16', true],
    ['::ffff:168.63.129.16', true],
    ['168.63.129.17', false],
    ['not an address', true],
    ['', true],
    ['93.184.215.14', false],
    ['2606:4700::1111', false],
    ['::ffff:8.8.8.8', false],
  ])('%s is private: %s', (address, expected) => {
    expect(isPrivateAddress(address)).toBe(expected);
  });

  test.each([
    ['example.com', false],
    ['[::1]', true],
    ['a.localhost.', true],
  ])('the host %s is private: %s', (host, expected) => {
    expect(isPrivateHost(host)).toBe(expected);
  });
});
