import { expect, test } from 'vitest';
import { anchorsOf, codeBlocksOf, inlineCodeOf, linksOf, npmScriptsOf, tableOf } from './documents.js';

const TEXT = `# A title: with \`code\`, and [a link](./a.md)!

See [one](./one.md "One"), ![two](img/two.png), [three][3] and [four](<four.md>). Not \`[five](./five.md)\`.

[3]: ../three.md#part

\`\`\`ts more
[six](./six.md)
# no heading
\`\`\`

<!-- [seven](./seven.md) -->

## Second_one – it's

| module | uses |
| --- | --- |
| \`a\` | \`b\`, \`c\` |
| \`b\` | – |

Run \`npm run check\`, npm run -s bench -- x, \`npm test\` and npm ci; \`npm install\`.

~~~
npm run fuzz
~~~
`;

test('links', () => {
  expect(linksOf(TEXT)).toEqual(['./a.md', './one.md', 'img/two.png', 'four.md', '../three.md#part']);
});

test('anchors', () => {
  expect(anchorsOf(TEXT)).toEqual(['a-title-with-code-and-a-link', 'second_one--its']);
});

test('code blocks', () => {
  expect(codeBlocksOf(TEXT)).toEqual([
    { language: 'ts', text: '[six](./six.md)\n# no heading\n' },
    { language: '', text: 'npm run fuzz\n' },
  ]);
});

test('inline code', () => {
  expect(inlineCodeOf(TEXT)).toContain('[five](./five.md)');
  expect(inlineCodeOf(TEXT)).toContain('npm test');
  expect(inlineCodeOf(TEXT).join()).not.toContain('six');
});

test('scripts', () => {
  expect(npmScriptsOf(TEXT)).toEqual(['check', 'bench', 'fuzz', 'test']);
});

test('tables', () => {
  expect(tableOf(TEXT, 'module')).toEqual([
    ['a', 'b, c'],
    ['b', '–'],
  ]);
  expect(tableOf(TEXT, 'other')).toEqual([]);
});
