import { expect, test } from 'vitest';
import { VisitedPages } from './visited-pages.js';

test('B24: who waits for a page hears of it once, and of no other', () => {
  const pages = new VisitedPages();
  const heard: string[] = [];
  pages.on('a', () => heard.push('a'));
  pages.on('b', () => heard.push('b'));
  const stop = pages.on('c', () => heard.push('c'));
  stop();
  stop();
  for (const id of ['a', 'a', 'c', 'x', 7]) pages.heard(id);
  expect(heard).toEqual(['a']);
  pages.on('a', () => heard.push('a again'));
  expect(heard).toEqual(['a', 'a again']);
});

test('a name that is too long to be kept is none', () => {
  const pages = new VisitedPages();
  const heard: number[] = [];
  for (const length of [1_024, 1_025]) {
    pages.heard('x'.repeat(length));
    pages.on('x'.repeat(length), () => heard.push(length));
  }
  expect(heard).toEqual([1_024]);
});

test('neither waits nor visits are kept without end', () => {
  const pages = new VisitedPages();
  let heard = 0;
  for (let index = 0; index < 1_100; index++) pages.on(`page-${index}`, () => heard++);
  pages.heard('page-0');
  pages.heard('page-1099');
  expect(heard).toBe(1);
  for (let index = 0; index < 300; index++) pages.heard(`other-${index}`);
  pages.on('page-1099', () => heard++);
  expect(heard).toBe(1);
});
