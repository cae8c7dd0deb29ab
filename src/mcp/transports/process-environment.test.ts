import { expect, test } from 'vitest';

import { buildEnvironment, RefusedEnvironment, type EnvironmentRequest } from './process-environment.js';

function build(request: Partial<EnvironmentRequest>): Record<string, string> {
  const built = buildEnvironment({
    own: {},
    allowUnsafe: false,
    inherited: {},
    platform: 'linux',
    ...request,
  });
  return Object.fromEntries(
    Object.entries(built).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const HUB = {
  PATH: '/bin',
  HOME: '/home/hub',
  USER: 'hub',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  LC_TIME: 'de_DE',
  TZ: 'UTC',
  TMPDIR: '/tmp',
  SHELL: '/bin/sh',
  DATABASE_URL: 'postgres://secret',
  NODE_OPTIONS: '--require ./evil.js',
  LD_PRELOAD: '/evil.so',
  path: '/lower',
  LC_: 'nothing',
};

test('B3.2: only the allow-list is inherited', () => {
  expect(build({ inherited: HUB })).toEqual({
    PATH: '/bin',
    HOME: '/home/hub',
    USER: 'hub',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    LC_TIME: 'de_DE',
    TZ: 'UTC',
    TMPDIR: '/tmp',
  });
});

test("the child's own variables come on top and win", () => {
  expect(build({ inherited: HUB, own: { HOME: '/private', API_KEY: 'k' } })).toMatchObject({
    PATH: '/bin',
    HOME: '/private',
    API_KEY: 'k',
  });
});

test('Node is kept from handing its coverage folder on', () => {
  const built = buildEnvironment({ own: {}, allowUnsafe: false, inherited: {}, platform: 'linux' });
  expect(Object.hasOwn(built, 'NODE_V8_COVERAGE')).toBe(true);
});

test('an inherited shell function is not handed on', () => {
  expect(build({ inherited: { LANG: '() { :; }; echo hi' } })).toEqual({});
});

test('Windows: names have no case, and what programs need to start is there', () => {
  const inherited = { SystemRoot: 'C:\\Windows', Path: 'C:\\bin', ComSpec: 'cmd.exe', Secret: 's' };
  expect(build({ platform: 'win32', inherited })).toEqual({
    SystemRoot: 'C:\\Windows',
    Path: 'C:\\bin',
    ComSpec: 'cmd.exe',
  });
  expect(build({ platform: 'win32', inherited, own: { PATH: 'D:\\bin' } })).toEqual({
    SystemRoot: 'C:\\Windows',
    PATH: 'D:\\bin',
    ComSpec: 'cmd.exe',
  });
});

const UNSAFE = [
  'NODE_OPTIONS',
  'node_options',
  'NODE_PATH',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
  'ENV',
  'BASH_FUNC_ls%%',
  'SHELLOPTS',
  'PS4',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'DOTNET_STARTUP_HOOKS',
  'GCONV_PATH',
  'npm_config_script_shell',
  // npm reads either sign for the other.
  'npm_config_script-shell',
  'NPM_CONFIG_NODE-OPTIONS',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
];

test.each(UNSAFE)('B3.2: %s is refused, without its value in the error, unless it is allowed', (name) => {
  const own = { [name]: 'tell-nobody' };
  expect(() => build({ own })).toThrow(RefusedEnvironment);
  expect(() => build({ own })).toThrow(name);
  expect(() => build({ own })).not.toThrow('tell-nobody');
  expect(build({ own, allowUnsafe: true })).toEqual(own);
});

test.each([
  'ENVIRONMENT',
  'MY_LD_PATH',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'PYTHONUNBUFFERED',
  'npm_config_registry',
])('%s is nothing to refuse', (name) => {
  expect(build({ own: { [name]: '1' } })).toEqual({ [name]: '1' });
});

test.each([
  ['an empty name', { '': 'x' }],
  ['a name with an equals sign', { 'A=B': 'x' }],
  ['a name with NUL', { 'A\0': 'x' }],
  ['a value with NUL', { A: 'x\0y' }],
  ['a shell function', { A: '() { :; }' }],
])('%s is refused', (_name, own) => {
  expect(() => build({ own })).toThrow(RefusedEnvironment);
});
