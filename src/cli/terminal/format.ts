import { displayWidth } from './display-width.js';
import { escapeLine } from './escape-text.js';

/** A moment in the reader's own time zone. */
export function formatMoment(iso: string): string {
  const at = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** How long ago, in the largest unit that fits. */
export function formatAge(iso: string, now: number): string {
  const ms = Math.max(0, now - new Date(iso).getTime());
  const [unit, size] = UNITS.find(([, length]) => ms >= length) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit} ago`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} kB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** Names and values below one another; what has no value is left out. */
export function renderFields(fields: readonly (readonly [string, string | undefined])[]): string {
  const given = fields.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => displayWidth(name)));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${escapeLine(value ?? '')}`).join('\n');
}

/** `1 tool`, `2 tools`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
