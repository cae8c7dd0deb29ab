import { expect, test } from 'vitest';
import { browserCommand, openBrowser, toWebAddress } from './open-browser.js';

test.each([
  ['https://auth.example/authorize?a=1&b=2', 'https://auth.example/authorize?a=1&b=2'],
  ['http://127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
  ['https://auth.example/$(touch /tmp/x)`id`', 'https://auth.example/$(touch%20/tmp/x)%60id%60'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['file:///etc/passwd', undefined],
  ['ms-settings:', undefined],
  ['-version', undefined],
  ['', undefined],
])('C70: %s is opened as %s', (given, expected) => {
  expect(toWebAddress(given)).toBe(expected);
});

test.each(['linux', 'darwin', 'win32'] as const)(
  'on %s the address is one argument of a program',
  (platform) => {
    const url = 'https://a.example/?x=1&y=2';
    const [command, ...args] = browserCommand(platform, url);
    expect(command).not.toMatch(/sh$|cmd/);
    expect(args.at(-1)).toBe(url);
  },
);

test('without a screen nothing is started', async () => {
  expect(await openBrowser('https://a.example/', {}, 'linux')).toBe(false);
  expect(await openBrowser('javascript:alert(1)', { DISPLAY: ':0' }, 'linux')).toBe(false);
});
