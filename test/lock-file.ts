import { allowsVersion } from './node-range.js';

/** One entry of `packages` in a lock file of npm, as far as we look. */
export interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly engines?: { readonly node?: string };
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

const SUPPORTED_PLATFORMS: readonly Platform[] = [
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'darwin', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
  { os: 'win32', cpu: 'arm64' },
];

/** Entries that name the place they were fetched from, which is a fact of one machine. */
export function entriesWithAddress(lock: LockFile): readonly string[] {
  return entries(lock).flatMap(([path, entry]) =>
    entry.resolved === undefined || entry.link === true ? [] : [path],
  );
}

/** Entries whose contents nobody could check. */
export function entriesWithoutIntegrity(lock: LockFile): readonly string[] {
  return entries(lock).flatMap(([path, entry]) =>
    path === '' || entry.link === true || entry.integrity !== undefined ? [] : [path],
  );
}

/** Dependencies, optional ones included, that the file names but does not hold. `npm ci` refuses such a file. */
export function missingPackages(lock: LockFile): readonly string[] {
  return entries(lock).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => find(lock, path, name) === undefined)
      .map((name) => `${path} needs ${name}`),
  );
}

/** Packages that come in one build a platform and have none for a platform we support. */
export function missingBuilds(lock: LockFile, platforms = SUPPORTED_PLATFORMS): readonly string[] {
  return entries(lock).flatMap(([path, entry]) => {
    const builds = Object.keys(entry.optionalDependencies ?? {}).flatMap((name) => {
      const build = find(lock, path, name);
      return build?.os === undefined || build.cpu === undefined ? [] : [build];
    });
    if (builds.length === 0) return [];
    return platforms
      .filter((platform) => !builds.some((build) => fits(build, platform)))
      .map(({ os, cpu, libc }) => `${path} has no build for ${[os, cpu, libc ?? []].flat().join('-')}`);
  });
}

/** Packages that do not want to run on a version of Node. */
export function packagesRefusing(lock: LockFile, nodeVersion: string): readonly string[] {
  return entries(lock).flatMap(([path, { engines }]) =>
    engines?.node === undefined || allowsVersion(engines.node, nodeVersion)
      ? []
      : [`${path}: ${engines.node}`],
  );
}

function fits(build: LockedPackage, { os, cpu, libc }: Platform): boolean {
  return (
    build.os?.includes(os) === true &&
    build.cpu?.includes(cpu) === true &&
    (build.libc === undefined || libc === undefined || build.libc.includes(libc))
  );
}

function entries(lock: LockFile): readonly (readonly [string, LockedPackage])[] {
  return Object.entries(lock.packages);
}

/** Node's way of looking: in the package's own `node_modules`, then in those of the folders around it. */
function find(lock: LockFile, from: string, name: string): LockedPackage | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const found = lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`];
    if (found !== undefined || folder === '') return found;
  }
}
