import { readFileSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';

/** What placeholders in clients' files stand for. */
export interface PlaceholderSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The project, or the working folder. */
  readonly workspace: string;
  /** Answers to the inputs of a file, by their id. */
  readonly answers: Readonly<Record<string, string>>;
  /** Whether `${NAME}` stays as it is. It is filled in otherwise. */
  readonly leaves?: (name: string, isOptional: boolean) => boolean;
}

export interface Resolved {
  /** Undefined while something is missing. */
  readonly text: string | undefined;
  /** What is missing, as a person would look for it. */
  readonly missing: readonly string[];
  /** The variables and inputs that went into the text; `NAME` if the whole text is one. */
  readonly names: readonly string[];
  /** Whether part of it was given to the client as something to keep to itself. */
  readonly confided: boolean;
}

const PLACEHOLDER = /\$\{([^{}]+)\}/g;
const VARIABLE = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s;
const BARE = /^([A-Za-z_]\w*)(:-.*)?$/s;

/** Fills in `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${file:path}` and the places editors know. */
export function resolvePlaceholders(text: string, sources: PlaceholderSources): Resolved {
  const missing: string[] = [];
  const names: string[] = [];
  let confided = false;
  const filled = text.replace(PLACEHOLDER, (whole, content: string) => {
    const place = placeOf(content, sources);
    if (place !== undefined) return place;
    if (isLeft(content, sources)) return whole;
    const found = valueOf(content, sources);
    names.push(found.name);
    confided ||= found.confided;
    if (found.value === undefined) missing.push(whole);
    return found.value ?? whole;
  });
  return { text: missing.length > 0 ? undefined : filled, missing, names, confided };
}

/** What is missing, and what to do about it. */
export function describeMissing(missing: readonly string[]): string {
  const asked = missing.some((placeholder) => placeholder.startsWith('${input:'));
  return `a value for ${missing.join(', ')}: ${asked ? 'import at a terminal to be asked for it, or give it with --input-env' : 'set it in the environment and import again'}`;
}

/** The ids of the inputs that a text asks for. */
export function inputsIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap(([, content = '']) =>
    content.startsWith('input:') ? [content.slice(6)] : [],
  );
}

function placeOf(content: string, { home, workspace }: PlaceholderSources): string | undefined {
  switch (content) {
    case 'userHome':
      return home;
    case 'workspaceFolder':
    case 'workspaceRoot':
    case 'cwd':
    case 'CLAUDE_PROJECT_DIR':
      return workspace;
    case 'workspaceFolderBasename':
      return basename(workspace);
    case 'pathSeparator':
    case '/':
      return sep;
    default:
      return undefined;
  }
}

function isLeft(content: string, { leaves }: PlaceholderSources): boolean {
  const [, name, fallback] = BARE.exec(content) ?? [];
  return name !== undefined && leaves?.(name, fallback !== undefined) === true;
}

interface Found {
  readonly name: string;
  readonly value: string | undefined;
  readonly confided: boolean;
}

function valueOf(content: string, { environment, home, workspace, answers }: PlaceholderSources): Found {
  if (content.startsWith('input:')) {
    const id = content.slice('input:'.length);
    return { name: id, value: Object.hasOwn(answers, id) ? answers[id] : undefined, confided: true };
  }
  if (content.startsWith('file:')) {
    const path = content.slice('file:'.length).replace(/^~(?=\/)/, home);
    return { name: basename(path), value: readText(resolve(workspace, path)), confided: true };
  }
  const variable = VARIABLE.exec(content);
  if (variable === null) return { name: content, value: undefined, confided: false };
  const [, name = '', fallback] = variable;
  return { name, value: environment[name] ?? fallback, confided: false };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
