import { describe, expect, test } from 'vitest';
import { readCorpus } from './corpus.js';
import { faultOn, fuzz } from './fuzz.js';
import { Random } from './random.js';
import { BrokenPromise, type FuzzTarget } from './target.js';
import { TARGETS } from './targets.js';

const SECOND = 1000;

describe.each(TARGETS)('$name', (target) => {
  const corpus = readCorpus(target.name);

  test('behaves on every kept case', () => {
    expect(corpus.length).toBeGreaterThan(0);
    const faults = corpus.flatMap(({ file, input }) => {
      const fault = faultOn(target, input);
      return fault === undefined ? [] : [`${file}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  test('behaves for a second on what nobody thought of', () => {
    const seed = Date.now() >>> 0;
    const inputs = corpus.map(({ input }) => input);
    const { runs, findings } = fuzz({
      target,
      corpus: inputs,
      random: new Random(seed),
      milliseconds: SECOND,
    });
    const shown = findings.map(({ fault, input }) => ({
      fault,
      base64: Buffer.from(input).toString('base64'),
    }));
    expect({ seed, findings: shown }).toEqual({ seed, findings: [] });
    expect(runs).toBeGreaterThan(10);
  });
});

describe('the fuzzer', () => {
  const corpus = [Buffer.from('abc: 12345')];

  function findingsOf(run: (text: string) => void): ReturnType<typeof fuzz>['findings'] {
    const target: FuzzTarget = {
      name: 'test',
      dictionary: ['magic'],
      run(input) {
        run(Buffer.from(input).toString('latin1'));
        return 'ok';
      },
    };
    return fuzz({ target, corpus, random: new Random(1), milliseconds: 5 * SECOND, maxFindings: 1 }).findings;
  }

  test('finds an input that throws', () => {
    const [finding] = findingsOf((text) => {
      if (text.includes('magic') && text.includes('2345')) throw new BrokenPromise('magic');
    });
    expect(finding?.fault).toBe('BrokenPromise: magic');
    expect(Buffer.from(finding!.input).toString('latin1')).toContain('magic');
  });

  test('finds an input that stalls', () => {
    const [finding] = findingsOf((text) => {
      const before = process.cpuUsage();
      while (text.length > 1000 && process.cpuUsage(before).user < 150_000);
    });
    expect(finding?.fault).toContain('takes more than');
    expect(finding!.input.length).toBeGreaterThan(1000);
  });

  test('does the same for the same seed', () => {
    const inputs = [1, 1, 2].map((seed) => {
      const seen: string[] = [];
      const target: FuzzTarget = {
        name: 'test',
        dictionary: ['x'],
        run: (input) => String(seen.push(Buffer.from(input).toString('base64')) % 3),
      };
      fuzz({ target, corpus, random: new Random(seed), milliseconds: 50 });
      return seen.slice(0, 50);
    });
    expect(inputs[0]).toEqual(inputs[1]);
    expect(inputs[0]).not.toEqual(inputs[2]);
  });
});
