import { describe, expect, test } from 'vitest';
import { MUTATION_AREAS } from '../scripts/mutation/areas.js';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import { rowsOf } from './document-tables.js';

const files = repositoryFiles();

/** As far as areas use patterns: a star stands for letters within a name. */
function toPattern(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
}

describe.each(MUTATION_AREAS)('mutation testing of $name', ({ files: changed, tests }) => {
  test('changes files that are there, each once', () => {
    expect(changed.filter((path) => !files.includes(path))).toEqual([]);
    expect(changed).toEqual([...new Set(changed)]);
  });

  test.each(tests)('%s matches tests', (pattern) => {
    expect(files.filter((path) => toPattern(pattern).test(path))).not.toEqual([]);
  });
});

test('every area has its figures in the documents, none of them below what is demanded', () => {
  const rows = rowsOf(readRepositoryFile('docs/reliability.md'), 'area');
  expect(rows.map(({ area, files: count }) => [area, count])).toEqual(
    MUTATION_AREAS.map((area) => [area.name, String(area.files.length)]),
  );
  for (const { mutants, noticed, score } of rows) {
    const [all, found] = [mutants, noticed].map((text) => Number(text?.replaceAll(',', '')));
    expect(((100 * (found ?? 0)) / (all ?? 0)).toFixed(1)).toBe(score?.replace(' %', ''));
    expect(Number(score?.replace(' %', ''))).toBeGreaterThanOrEqual(85);
  }
});
