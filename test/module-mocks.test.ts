import { expect, test } from 'vitest';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import config from '../vitest.config.js';

/** Of a glob of the configuration: a folder with everything below it, or one file. */
function covers(pattern: string, path: string): boolean {
  const [start = '', rest] = pattern.split('**');
  return rest === undefined ? pattern === path : path.startsWith(start);
}

/** Where files share what they loaded, a replaced module counts only if no file before has loaded it. */
test('files that replace modules share none with others', () => {
  const replacing = repositoryFiles().filter(
    (path) => path.endsWith('.test.ts') && /^vi\.(?:doM|m)ock\(/m.test(readRepositoryFile(path)),
  );
  const sharing = (config.test?.projects ?? []).flatMap((project) => {
    const settings = typeof project === 'object' && 'test' in project ? project.test : undefined;
    return settings?.isolate === false ? [settings] : [];
  });
  expect(sharing.map(({ name }) => name)).toEqual(['unit', 'integration']);
  const [unit, integration] = sharing.map(({ exclude = [] }) => exclude);
  for (const path of replacing) {
    const excluded = path.startsWith('test/') ? integration : unit;
    expect(
      excluded?.some((pattern) => covers(pattern, path)),
      path,
    ).toBe(true);
  }
  expect(replacing.length).toBeGreaterThan(0);
});
