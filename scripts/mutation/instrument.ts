import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readRepositoryFile, ROOT } from '../repository.js';
import type { Mutant } from './mutant.js';

/** As much of Stryker's instrumenter as is used here. It has packages of its own, which not everybody installs. */
interface Instrumenter {
  instrument(
    files: readonly { readonly name: string; readonly content: string; readonly mutate: true }[],
    options: object,
  ): Promise<{
    readonly files: readonly { readonly name: string; readonly content: string }[];
    readonly mutants: readonly (Mutant & { readonly status?: string })[];
  }>;
}

interface SyntaxNode {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly callee?: SyntaxNode;
  readonly key?: SyntaxNode;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

interface SyntaxPath {
  readonly node: SyntaxNode;
  readonly parent?: SyntaxNode;
}

export interface InstrumentedCode {
  /** By absolute path: the code with all its changes, of which one at a time is switched on. */
  readonly code: ReadonlyMap<string, string>;
  readonly mutants: readonly Mutant[];
}

const FOLDER = join(ROOT, 'scripts/mutation/tool');

export async function instrument(paths: readonly string[]): Promise<InstrumentedCode> {
  const tool = await loadInstrumenter();
  const files = paths.map((path) => ({
    name: join(ROOT, path),
    content: readRepositoryFile(path),
    mutate: true as const,
  }));
  const options = { plugins: null, excludedMutations: [], ignorers: [{ shouldIgnore }] };
  const outcome = await tool.instrument(files, options);
  return {
    code: new Map(outcome.files.map(({ name, content }) => [name, content])),
    mutants: outcome.mutants.filter(({ status }) => status !== 'Ignored'),
  };
}

async function loadInstrumenter(): Promise<Instrumenter> {
  const { resolve } = createRequire(join(FOLDER, 'package.json'));
  let path: string;
  try {
    path = resolve('@stryker-mutator/instrumenter');
  } catch (error) {
    const advice = 'run `npm ci --ignore-scripts` in scripts/mutation/tool';
    throw new Error(`What changes the code is not installed: ${advice}`, { cause: error });
  }
  const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn: console.warn };
  const loaded = (await import(pathToFileURL(path).href)) as {
    readonly Instrumenter: new (logger: object) => Instrumenter;
  };
  return new loaded.Instrumenter(silent);
}

/** What takes words for people: errors, functions that make them, and members that hold such words. */
const MAKERS = /Error$|Unavailable$|^(?:refuse|refused|refuseToken|cannotTell|invalid)$/;
const MEMBERS = /^(?:message|reason)$/;

/** Words for people are left as they are: nothing is decided by the text of a message, so no test is to depend on it. */
function shouldIgnore({ node, parent }: SyntaxPath): string | undefined {
  if (!isProse(node)) return undefined;
  const { type, callee, key } = parent ?? {};
  const isCall = type === 'NewExpression' || type === 'CallExpression';
  const isWords = isCall ? MAKERS.test(callee?.name ?? '') : MEMBERS.test(key?.name ?? '');
  return isWords ? 'words for people' : undefined;
}

function isProse({ type, value, quasis = [] }: SyntaxNode): boolean {
  if (type === 'StringLiteral') return typeof value === 'string' && value.includes(' ');
  return type === 'TemplateLiteral' && quasis.some((part) => part.value.raw.includes(' '));
}
