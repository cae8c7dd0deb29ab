import { describe, expect, test } from 'vitest';
import { readRepositoryFile } from '../../scripts/repository.js';
import * as client from '../../src/mcp/client/index.js';
import * as server from '../../src/mcp/server/index.js';
import * as transports from '../../src/mcp/transports/index.js';
import { inlineCodeOf, tableOf } from '../documents.js';

const text = readRepositoryFile('docs/library.md');

/** The members of a union of texts, read from the source: types are gone at run time. */
function unionOf(path: string, name: string): readonly string[] {
  const [, body = ''] = new RegExp(`type ${name} =([^;]+);`).exec(readRepositoryFile(path)) ?? [];
  return [...body.matchAll(/\| '(\w+)'/g)].map(([, member = '']) => member);
}

function defaultsIn(table: string): Readonly<Record<string, number>> {
  return Object.fromEntries(tableOf(text, table).map(([name, value]) => [name ?? '', Number(value)]));
}

describe('docs/library.md', () => {
  test.each([
    ['client', client],
    ['server', server],
    ['transports', transports],
  ])('names everything that crosspoint/%s offers', (_name, entry) => {
    const named = new Set(inlineCodeOf(text).flatMap((code) => code.match(/\w+/g) ?? []));
    expect(Object.keys(entry).filter((name) => !named.has(name))).toEqual([]);
  });

  test('has the defaults of the code', () => {
    expect(defaultsIn('time-out')).toEqual(client.DEFAULT_TIMEOUTS);
    expect(defaultsIn('limit')).toEqual(server.DEFAULT_LIMITS);
  });

  test.each([
    ['ClientError', 'src/mcp/client/client-error.ts'],
    ['TransportError', 'src/mcp/transports/transport.ts'],
  ])('lists every code of %s, in order', (name, path) => {
    const codes = unionOf(path, `${name}Code`);
    expect(codes.length).toBeGreaterThan(5);
    expect(tableOf(text, `${name} code`).map(([code]) => code)).toEqual(codes);
  });
});
