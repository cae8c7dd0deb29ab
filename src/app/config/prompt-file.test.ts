import { describe, expect, test } from 'vitest';
import { parsePrompts } from './prompt-file.js';

const parse = (text: string) => parsePrompts(text, 'fallback', ['tool']);

describe('prompts in Markdown', () => {
  test('each top heading begins one', () => {
    expect(
      parse(
        'preface\n# first\nOne.\n\n## part\nmore\n# Second One\n> What it does.\n\nTwo {{ a }} {{b-c}} {{a}}.',
      ),
    ).toEqual([
      { name: 'first', arguments: [], text: 'One.\n\n## part\nmore', tools: ['tool'] },
      {
        name: 'second_one',
        title: 'Second One',
        description: 'What it does.',
        arguments: [
          { name: 'a', required: true },
          { name: 'b-c', required: true },
        ],
        text: 'Two {{ a }} {{b-c}} {{a}}.',
        tools: ['tool'],
      },
    ]);
  });

  test('without headings the whole file is one', () => {
    expect(parse('Just text.\n#not a heading')).toMatchObject([
      { name: 'fallback', text: 'Just text.\n#not a heading' },
    ]);
  });

  test.each(['```', '~~~', '````'])('what stands between %s is an example', (fence) => {
    const text = `# one\n${fence}sh\n# a comment\n${fence}\n# two\nend`;
    expect(parse(text).map(({ name }) => name)).toEqual(['one', 'two']);
  });

  test('a shorter fence does not end a longer one', () => {
    expect(parse('# one\n````\n```\n# inside\n```\n````\n# two\nx').map(({ name }) => name)).toEqual([
      'one',
      'two',
    ]);
  });

  test('one without a text is none', () => {
    expect(parse('# empty\n\n# full\nx').map(({ name }) => name)).toEqual(['full']);
    expect(parse('')).toEqual([]);
  });
});
