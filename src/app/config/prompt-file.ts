import { basename, extname } from 'node:path';
import type { ConnectorInput } from '../../contract/index.js';
import { readText } from './read-text.js';

type PromptInput = NonNullable<ConnectorInput['prompts']>[number];

/**
 * Prompts from a Markdown file. Each `# name` begins one; `> …` right after it is its description; `{{word}}` in its
 * text is an argument. A file without headings is one prompt with the name of the file.
 */
export function readPromptFile(path: string, tools: readonly string[] = []): PromptInput[] {
  return parsePrompts(readText(path), nameOf(path), tools);
}

/** A file that is one prompt as it stands, headings, braces and all: a guide to the tools it is associated with. */
export function readGuideFile(path: string, tools: readonly string[]): PromptInput[] {
  const text = readText(path).trim();
  return text === '' ? [] : [{ name: nameOf(path), text, tools: [...tools] }];
}

function nameOf(path: string): string {
  return basename(path, extname(path));
}

interface Section {
  readonly title: string;
  readonly lines: string[];
}

export function parsePrompts(text: string, fallbackName: string, tools: readonly string[]): PromptInput[] {
  const sections = splitSections(text);
  const named = sections.length === 0 ? [{ title: fallbackName, lines: text.split('\n') }] : sections;
  return named
    .map(({ title, lines }) => toPrompt(title, lines.join('\n').trim(), tools))
    .filter(({ text: content }) => content !== '');
}

/** What stands in a fenced block is an example, whatever it begins with. */
function splitSections(text: string): readonly Section[] {
  const sections: Section[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
    const title = fence === undefined && mark === undefined ? /^# +(\S.*)$/.exec(line)?.[1] : undefined;
    if (title === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title: title.trim(), lines: [] });
  }
  return sections;
}

function toPrompt(title: string, body: string, tools: readonly string[]): PromptInput {
  const quoted = /^> ?(.+)\n*/.exec(body);
  const text = (quoted === null ? body : body.slice(quoted[0].length)).trim();
  const names = new Set([...text.matchAll(/\{\{\s*([\w-]+)\s*\}\}/g)].map((match) => match[1] as string));
  const name = title.toLowerCase().replace(/[^\w-]+/g, '_');
  return {
    name,
    ...(name !== title && { title }),
    ...(quoted?.[1] !== undefined && { description: quoted[1].trim() }),
    arguments: [...names].map((argument) => ({ name: argument, required: true })),
    text,
    tools: [...tools],
  };
}
