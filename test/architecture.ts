import { findCycle } from './find-cycle.js';
import { FREE_BUILTINS, type Limit } from './modules.js';
import { targetOf, type SourceFile, type SourceTree } from './source-tree.js';

export const MAX_LINES = 350;
export const MAX_MEDIAN_LINES = 100;

type Modules = Readonly<Record<string, Limit>>;

export interface Rule {
  readonly name: string;
  /** One line for each thing that breaks the rule. */
  check(tree: SourceTree, modules: Modules): readonly string[];
}

const NOTHING: Limit = { uses: [], packages: [], builtins: [] };

function allowed(limit: Limit = NOTHING): Record<'module' | 'package' | 'builtin', readonly string[]> {
  return { module: limit.uses, package: limit.packages, builtin: limit.builtins };
}

/** What a source file reaches that the table does not grant its module. */
export function trespasses(file: SourceFile, tree: SourceTree, modules: Modules): readonly string[] {
  const grants = allowed(modules[file.module ?? '']);
  return tree.reachedFrom(file).flatMap((reached) => {
    if (reached.kind === 'problem') return [reached.name];
    // A test may use any module through its face, and any package; the linter of unused packages sees to those.
    if (file.isTest || FREE_BUILTINS.includes(reached.name)) return [];
    if (grants[reached.kind].includes(reached.name)) return [];
    return [`may not use the ${reached.kind} ${reached.name}`];
  });
}

export const RULES: readonly Rule[] = [
  {
    name: 'every folder of src is a module of the table, and the table names no other',
    check(tree, modules) {
      const found = new Set(tree.inSrc.flatMap((file) => file.module ?? []));
      const loose = tree.inSrc.filter((file) => file.module === undefined);
      return [
        ...loose.map((file) => `${file.path} lies loose`),
        ...[...found]
          .filter((name) => modules[name] === undefined)
          .map((name) => `${name} is not in the table`),
        ...Object.keys(modules)
          .filter((name) => !found.has(name))
          .map((name) => `${name} does not exist`),
      ];
    },
  },
  {
    name: 'every module has an index that opens with what it is for',
    check: (tree, modules) =>
      Object.keys(modules).flatMap((name) => {
        const index = tree.files.find((file) => file.path === `src/${name}/index.ts`);
        if (index === undefined) return [`${name} has no index.ts`];
        return /^(?:#!.*\n)?\s*\/\*\*[\s\S]{40,}?\*\//.test(index.text)
          ? []
          : [`${index.path} does not say what it is for`];
      }),
  },
  {
    name: 'arrows of the table point at its modules, and never in a circle',
    check(_tree, modules) {
      const arrows = new Map(Object.entries(modules).map(([name, limit]) => [name, limit.uses]));
      const cycle = findCycle(arrows);
      return [
        ...[...arrows].flatMap(([from, uses]) =>
          uses.filter((to) => !arrows.has(to)).map((to) => `${from} uses ${to}, which is no module`),
        ),
        ...(cycle === undefined ? [] : [cycle.join(' > ')]),
      ];
    },
  },
  {
    name: 'no module is granted what it does not use',
    check: (tree, modules) =>
      Object.entries(modules).flatMap(([name, limit]) => {
        const own = tree.sources.filter((file) => file.module === name);
        const reached = new Set(
          own.flatMap((file) => tree.reachedFrom(file)).map((each) => `${each.kind} ${each.name}`),
        );
        return Object.entries(allowed(limit)).flatMap(([kind, names]) =>
          names.filter((each) => !reached.has(`${kind} ${each}`)).map((each) => `${name}: ${kind} ${each}`),
        );
      }),
  },
  {
    name: 'no file loads itself through others',
    check(tree) {
      const graph = new Map(
        tree.sources.map((file) => [
          file.path,
          // Types are gone when modules are loaded: two halves of one idea may know each other's.
          file.imports.flatMap(({ specifier, typeOnly }) =>
            !typeOnly && specifier?.startsWith('.') === true ? [targetOf(file, specifier)] : [],
          ),
        ]),
      );
      const cycle = findCycle(graph);
      return cycle === undefined ? [] : [cycle.join(' > ')];
    },
  },
  {
    // Whoever names a revision elsewhere has begun to tell the eras apart.
    name: 'only mcp/wire names a revision of the protocol',
    check: (tree) =>
      tree.sources
        .filter((file) => file.module !== 'mcp/wire')
        .flatMap((file) =>
          file.strings
            .filter((text) => /^\d{4}-\d{2}-\d{2}$/.test(text))
            .map((text) => `${file.path}: ${text}`),
        ),
  },
  {
    name: 'names of files and folders are kebab-case and say what is inside',
    check: (tree) =>
      tree.files
        .map((file) => file.path)
        .filter(
          (path) =>
            path.split('/').some((part) => !/^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*$/.test(part)) ||
            /(?:^|[/-])(?:utils?|helpers?|common|misc)(?:[./-]|$)/.test(path),
        ),
  },
  {
    name: 'exports are named one by one',
    check: (tree) =>
      tree.inSrc
        .filter((file) => /\bexport\s*(?:type\s*)?\*|\bexport\s+default\b|\bas\s+default\b/.test(file.code))
        .map((file) => file.path),
  },
  {
    name: `no file is longer than ${MAX_LINES} lines`,
    check: (tree) =>
      tree.inSrc.filter((file) => file.lines > MAX_LINES).map((file) => `${file.path}: ${file.lines}`),
  },
  {
    name: `half of the source files are shorter than ${MAX_MEDIAN_LINES} lines`,
    check(tree) {
      const lengths = tree.sources.map((file) => file.lines).toSorted((a, b) => a - b);
      const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
      return median < MAX_MEDIAN_LINES ? [] : [`the median is ${median}`];
    },
  },
  {
    // `exec` and `execSync` are refused by the linter; this is the other way to get a shell.
    name: 'no program is started through a shell',
    check: (tree) =>
      tree.files
        .filter((file) => /(?<![.\w$#-])shell\s*(?::(?!\s*false\b)|[,}])/.test(file.code))
        .map((file) => file.path),
  },
];
