import { describe, expect, test } from 'vitest';
import { HubError, toPolicyId } from '../kernel/index.js';
import { readDocument, requireDistinctDocuments, type Statement } from './policy-documents.js';
import { atOnce } from './policy-pieces.js';
import type { Policy } from './policy.js';

const document = (text: string, id = 'p'): Policy => ({
  id: toPolicyId(id),
  text,
  source: 'file',
  version: 1,
  updatedAt: 0,
});

function read(text: string): Statement {
  const [statement] = atOnce(readDocument(document(text), false));
  if (statement === undefined) throw new Error('there is no statement');
  return statement;
}

describe('what a statement is known to be about', () => {
  /** Decisions are remembered for a whole connector unless a statement tells its offers apart. */
  test.each<[string, Partial<Statement>]>([
    ['permit(principal, action, resource);', { connector: undefined, namedOffers: new Set() }],
    [
      'permit(principal, action, resource in Connector::"db");',
      { connector: 'db', namedOffers: new Set(['Connector::db']) },
    ],
    [
      'permit(principal, action, resource == Tool::"db/a/b");',
      { connector: 'db', namedOffers: new Set(['Tool::db/a/b']) },
    ],
    [
      'permit(principal, action, resource == Tool::"loose");',
      { connector: undefined, namedOffers: new Set(['Tool::loose']) },
    ],
    [
      'permit(principal, action, resource == Prompt::"db/p");',
      { connector: 'db', namedOffers: new Set(['Prompt::db/p']) },
    ],
    [
      'permit(principal, action, resource in Toolset::"db/x");',
      { connector: undefined, namedOffers: new Set(['Toolset::db/x']) },
    ],
    [
      'permit(principal, action, resource is Tool in Connector::"db");',
      { connector: undefined, namedOffers: new Set(['Connector::db']) },
    ],
    [
      'permit(principal, action, resource is Tool) when { resource.risk == "read" };',
      { connector: undefined, namedOffers: new Set() },
    ],
    ['permit(principal, action, resource is Tool) when { resource.name == "a" };', { namedOffers: 'any' }],
    [
      'permit(principal, action, resource is Resource) when { resource.uri like "file:*" };',
      { namedOffers: 'any' },
    ],
    [
      'permit(principal, action, resource) unless { resource == Tool::"db/a" };',
      { namedOffers: new Set(['Tool::db/a']) },
    ],
  ])('%s', (text, expected) => {
    expect(read(text)).toMatchObject({ effect: 'permit', usesContext: false, ...expected });
  });

  test('arguments and time are the context', () => {
    const text = 'permit(principal, action, resource) when { context.now > datetime("2026-01-01") };';
    expect(read(text).usesContext).toBe(true);
    expect(
      read('permit(principal, action, resource) when { principal == Agent::"context" };').usesContext,
    ).toBe(false);
  });

  test('names are given or counted', () => {
    const text = 'permit(principal, action, resource); @id("b") forbid(principal, action, resource);';
    const [one, two] = atOnce(readDocument(document(text), false));
    expect([one?.id, one?.effect, two?.id, two?.effect]).toEqual(['p/1', 'permit', 'p/b', 'forbid']);
  });

  test.each([
    ['permit(principal, action, resource);', undefined],
    ['@confirm("sure?") permit(principal, action, resource);', 'sure?'],
    ['@confirm permit(principal, action, resource);', ''],
  ])('%s asks %j', (text, expected) => {
    expect(read(text).confirm).toBe(expected);
  });
});

describe('what is wrong is told', () => {
  test.each([
    ['permit(principal action, resource);'],
    ['permit(principal == ?principal, action, resource);'],
    ['@confirm("x") forbid(principal, action, resource);'],
    ['permit(principal, action, resource is Tool) when { resource.owner == "x" };'],
    ['permit(principal, action == Action::"fly", resource);'],
    ['@id("a") permit(principal, action, resource); @id("a") permit(principal, action, resource);'],
    ['permit(principal, action, resource) when { principal.tags.contains("a") && 9223372036854775808 > 1 };'],
    ['permit(principal, action, resource) when { context.now > datetime("never") };'],
    [
      'permit(principal, action, resource); permit(principal, action, resource) when { ip("1.2.3") == ip("1.2.3.4") };',
    ],
  ])('%s', (text) => {
    let caught: unknown;
    try {
      read(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(HubError);
    const { code, details } = caught as HubError;
    expect(code).toBe('config_invalid');
    expect(details).toEqual({ policy: 'p', errors: [expect.stringMatching(/^\S.{10}/)] });
  });

  test.each([
    [
      '// first\npermit(principal, action, resource);\npermit(principal, action == Action::"call", resource)\nwhen { resource.rsk == "read" };',
      'line 4, column 8: attribute `rsk` on entity type `Tool` not found (did you mean `risk`?)',
    ],
    [
      'permit(principal, action, resource)\nwhen { resource.risk = "read" };',
      "line 2, column 8: '=' is not a valid operator in Cedar (try using '==' instead)",
    ],
  ])('says where it is and what may be meant: %s', (text, told) => {
    expect(() => read(text)).toThrowError(expect.objectContaining({ message: `policy p: ${told}` }));
  });

  test('of two documents of one name too', () => {
    const twice = [document('permit(principal, action, resource);'), document('')];
    expect(() => requireDistinctDocuments(twice)).toThrowError(
      expect.objectContaining({ details: { policy: 'p', errors: [expect.stringMatching(/./)] } }),
    );
    requireDistinctDocuments([document(''), document('', 'q')]);
  });
});
