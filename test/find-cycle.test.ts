import { expect, test } from 'vitest';
import { findCycle } from './find-cycle.js';

test.each<[string, Readonly<Record<string, readonly string[]>>, readonly string[] | undefined]>([
  ['nothing', {}, undefined],
  ['a line', { a: ['b'], b: ['c'], c: [] }, undefined],
  ['a diamond', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, undefined],
  ['an edge out of the graph', { a: ['x'] }, undefined],
  ['itself', { a: ['a'] }, ['a', 'a']],
  ['two', { a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
  ['a circle behind a tail', { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }, ['b', 'c', 'd', 'b']],
  ['a circle after a dead end', { a: ['b', 'c'], b: [], c: ['a'] }, ['a', 'c', 'a']],
])('%s', (_name, edges, expected) => {
  expect(findCycle(new Map(Object.entries(edges)))).toEqual(expected);
});
