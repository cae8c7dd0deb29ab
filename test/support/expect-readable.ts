import type { Page } from '@playwright/test';
import { expect } from 'vitest';

interface Found {
  /** Texts with too little contrast. */
  readonly weak: readonly object[];
  readonly texts: number;
  /** By how many pixels the page is wider than its window. */
  readonly overflow: number;
  /** How bright the ground of the page is, from 0 to 1. */
  readonly ground: number;
  readonly wantsDark: boolean;
}

/** Runs in the page: measures every element that has text of its own. */
const MEASURE = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const brightness = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    if (element === null) return [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? groundOf(element.parentElement) : color;
  };
  const hasText = (element) =>
    element.matches('input:not([type=hidden]), select') ||
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
  const texts = [...document.querySelectorAll('body *')].filter(hasText);
  const weak = texts
    .map((element) => {
      const both = [brightness(parse(getComputedStyle(element).color)), brightness(groundOf(element))];
      return { text: element.outerHTML.slice(0, 80), ratio: (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) };
    })
    .filter(({ ratio }) => ratio < 4.5);
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    weak,
    texts: texts.length,
    overflow: scrollWidth - clientWidth,
    ground: brightness(groundOf(document.querySelector('main'))),
    wantsDark: matchMedia('(prefers-color-scheme: dark)').matches,
  };
})()`;

/** No sideways scrolling, and a contrast of at least 4.5 to 1 wherever there is text (WCAG 2.2, 1.4.3 and 1.4.10). */
export async function expectReadable(page: Page): Promise<void> {
  const found = await page.evaluate<Found>(MEASURE);
  expect(found).toMatchObject({ weak: [], overflow: 0 });
  expect(found.texts).toBeGreaterThan(3);
  expect(found.ground < 0.2).toBe(found.wantsDark);
}
