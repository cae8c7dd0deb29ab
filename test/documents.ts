/** What a test needs to know of a Markdown text. */

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

const FENCE = /^(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;

export function codeBlocksOf(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(FENCE)].map(([, , info = '', text = '']) => ({
    language: info.trim().split(/\s/)[0] ?? '',
    text,
  }));
}

/** The text without code blocks and comments: what is left is prose. */
function proseOf(markdown: string): string {
  return markdown.replaceAll(FENCE, '').replaceAll(/<!--[\s\S]*?-->/g, '');
}

/** Where links lead, images and reference definitions included. */
export function linksOf(markdown: string): readonly string[] {
  const prose = proseOf(markdown).replaceAll(/(`+)[\s\S]*?\1/g, '');
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const definitions = prose.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)>?/gm);
  return [...inline, ...definitions].map((match) => match[1] ?? '');
}

/** The names under which headings can be linked to. */
export function anchorsOf(markdown: string): readonly string[] {
  return [...proseOf(markdown).matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Inline code, which is where prose names files and commands. */
export function inlineCodeOf(markdown: string): readonly string[] {
  return [...proseOf(markdown).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => match[1] ?? '');
}

/** Scripts of the package that a text tells the reader to run, in prose or in a block. */
export function npmScriptsOf(markdown: string): readonly string[] {
  const run = markdown.matchAll(/\bnpm (?:run|run-script)(?: -s| --silent)? ([\w:-]+)/g);
  const short = markdown.matchAll(/\bnpm (test|start|stop|restart)\b/g);
  return [...run, ...short].map((match) => match[1] ?? '');
}

/** The cells of the first table whose header starts with a given word, code marks taken off. */
export function tableOf(markdown: string, firstHeader: string): readonly (readonly string[])[] {
  const rows = proseOf(markdown)
    .split('\n')
    .map((line) =>
      (/^\s*\|(.*)\|\s*$/.exec(line)?.[1] ?? '').split('|').map((cell) => cell.trim().replaceAll('`', '')),
    );
  const header = rows.findIndex((cells) => cells[0] === firstHeader);
  if (header === -1) return [];
  const body = rows.slice(header + 2);
  const end = body.findIndex((cells) => cells.length < 2);
  return end === -1 ? body : body.slice(0, end);
}
