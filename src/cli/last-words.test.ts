import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lastWords } from './last-words.js';

test('of a script that is not there the words say which', () => {
  for (const script of ['not-there.mjs', 'not-there.cjs']) {
    const { stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    const lines = [...stderr.split('\n'), 'the process exited with code 1'];
    const words = lastWords([...lines, ...lines]);
    expect(words.join('\n')).toMatch(/Cannot find module '.*not-there/);
    expect(words.at(-1)).toBe('the process exited with code 1');
    expect(words.length).toBeLessThanOrEqual(4);
  }
});

test('where the code stood is left out, and what comes again is told once', () => {
  const attempt = [
    'Traceback (most recent call last):',
    '  File "server.py", line 3, in <module>',
    'KeyError',
  ];
  expect(lastWords(['one', ...attempt, '}', '', ...attempt])).toEqual(['one', attempt[0], 'KeyError']);
  expect(lastWords(['a', 'b', 'c', 'd', 'e'])).toEqual(['b', 'c', 'd', 'e']);
});
