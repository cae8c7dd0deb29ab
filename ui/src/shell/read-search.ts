import type { SearchSchemaInput } from '@tanstack/react-router';
import { CALL_OUTCOMES, EVENT_TYPES, type EventSearch } from '../api/events.js';
import type { ToolFilters } from '../api/tools.js';

/** What stands behind the question mark of an address, as far as it makes sense. */

type Search = Readonly<Record<string, unknown>>;

const MOST = 256;

function wordOf(search: object, name: string): string | undefined {
  const value = (search as Search)[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= MOST ? text : undefined;
}

export function readWord<Name extends string>(
  search: object,
  name: Name,
): { readonly [Key in Name]?: string } {
  const word = wordOf(search, name);
  return (word === undefined ? {} : { [name]: word }) as { readonly [Key in Name]?: string };
}

function readChoice<Name extends string, const Choice extends string>(
  search: object,
  name: Name,
  choices: readonly Choice[],
): { readonly [Key in Name]?: Choice } {
  const choice = choices.find((each) => each === wordOf(search, name));
  return (choice === undefined ? {} : { [name]: choice }) as { readonly [Key in Name]?: Choice };
}

export function readToolSearch(search: ToolFilters & SearchSchemaInput): ToolFilters {
  return {
    ...readWord(search, 'q'),
    ...readWord(search, 'connector'),
    ...readWord(search, 'agent'),
    ...(wordOf(search, 'agent') !== undefined && readChoice(search, 'access', ['can', 'cannot'])),
    ...readChoice(search, 'risk', ['read', 'write', 'destructive']),
  };
}

export function readEventSearch(search: EventSearch & SearchSchemaInput): EventSearch {
  return {
    ...readWord(search, 'agent'),
    ...readWord(search, 'connector'),
    ...readWord(search, 'tool'),
    ...readChoice(search, 'type', EVENT_TYPES),
    ...readChoice(search, 'outcome', CALL_OUTCOMES),
    ...readWord(search, 'since'),
    ...readWord(search, 'until'),
  };
}
