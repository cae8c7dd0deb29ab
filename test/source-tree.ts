import { posix } from 'node:path';
import { moduleOf } from './modules.js';
import { scanSource, type ScannedSource } from './scan-source.js';

export interface SourceFile extends ScannedSource {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Undefined outside `src/` and for what lies loose in it. */
  readonly module: string | undefined;
  readonly isTest: boolean;
}

/** What an import reaches outside the importing file's own module. */
export type Reached =
  | { readonly kind: 'module' | 'package' | 'builtin'; readonly name: string }
  | { readonly kind: 'problem'; readonly name: string };

/** The code of a repository, as the rules of its architecture see it. */
export class SourceTree {
  readonly files: readonly SourceFile[];
  readonly #paths: ReadonlySet<string>;

  constructor(texts: Readonly<Record<string, string>>) {
    this.files = Object.entries(texts).map(([path, text]) => ({
      path,
      text,
      lines: text.trimEnd().split('\n').length,
      module: moduleOf(path),
      isTest: path.endsWith('.test.ts'),
      ...scanSource(text),
    }));
    this.#paths = new Set(Object.keys(texts));
  }

  /** Files of modules, tests included. */
  get inSrc(): readonly SourceFile[] {
    return this.files.filter((file) => file.path.startsWith('src/'));
  }

  /** What ships. */
  get sources(): readonly SourceFile[] {
    return this.inSrc.filter((file) => !file.isTest);
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Everything a file reaches outside its module. */
  reachedFrom(file: SourceFile): readonly Reached[] {
    return file.imports.flatMap(({ specifier }) => this.#reachedBy(file, specifier) ?? []);
  }

  #reachedBy(file: SourceFile, specifier: string | undefined): Reached | undefined {
    if (specifier === undefined) return problem('imports a computed name');
    if (specifier.startsWith('node:')) return { kind: 'builtin', name: specifier };
    if (!specifier.startsWith('.')) {
      const parts = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1);
      return { kind: 'package', name: parts.join('/') };
    }
    const target = targetOf(file, specifier);
    if (!this.has(target)) return problem(`imports ${target}, which is not there`);
    const to = moduleOf(target);
    if (to === undefined) {
      const shared = file.isTest && target.startsWith('test/support/');
      return shared ? undefined : problem(`leaves src for ${target}`);
    }
    if (to === file.module) return undefined;
    return target === `src/${to}/index.ts`
      ? { kind: 'module', name: to }
      : problem(`reaches ${target} past the index of ${to}`);
  }
}

function problem(name: string): Reached {
  return { kind: 'problem', name };
}

/** The file a relative import means: `.js` in the text is `.ts` on disk. */
export function targetOf(file: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts');
}
