import { describe, expect, test } from 'vitest';
import { EVERYTHING_PERMITTED, entryOf } from '../../test/support/catalog-examples.js';
import { createResourceRouter } from './resource-router.js';

const router = (...entries: Parameters<typeof createResourceRouter>[0]) =>
  createResourceRouter(entries, EVERYTHING_PERMITTED);
const ownerOf = (by: ReturnType<typeof router>, uri: string) => {
  const owner = by.ownerOf(uri);
  return owner && [owner.connector.id, owner.uri];
};

describe('resources', () => {
  test('keep their address and lead to who listed them', () => {
    const by = router(entryOf('a', { resources: ['file:///a'] }), entryOf('b', { resources: ['file:///b'] }));
    expect(by.resources.map(({ uri }) => uri)).toEqual(['file:///a', 'file:///b']);
    expect(ownerOf(by, 'file:///b')).toEqual(['b', 'file:///b']);
    expect(ownerOf(by, 'file:///c')).toBeUndefined();
  });

  test('an address that two have stays with the first; the second gets one of ours', () => {
    const by = router(
      entryOf('a', { resources: ['x:1'] }),
      entryOf('b', { resources: ['x:1'] }),
      entryOf('c', { resources: ['x:1'] }),
    );
    expect(by.resources.map(({ uri }) => uri)).toEqual(['x:1', 'crosspoint+b:x:1', 'crosspoint+c:x:1']);
    expect(ownerOf(by, 'x:1')).toEqual(['a', 'x:1']);
    expect(ownerOf(by, 'crosspoint+c:x:1')).toEqual(['c', 'x:1']);
  });
});

describe('templates', () => {
  test('the one with the longest fixed beginning decides, exact addresses before all', () => {
    const by = router(
      entryOf('a', { templates: ['db://{table}'] }),
      entryOf('b', { templates: ['db://people/{id}'] }),
      entryOf('c', { resources: ['db://people/1'] }),
    );
    expect(ownerOf(by, 'db://things')).toEqual(['a', 'db://things']);
    expect(ownerOf(by, 'db://people/2')).toEqual(['b', 'db://people/2']);
    expect(ownerOf(by, 'db://people/1')).toEqual(['c', 'db://people/1']);
    expect(ownerOf(by, 'db://people/{id}')).toEqual(['b', 'db://people/{id}']);
  });

  test('one that two have is told apart', () => {
    const by = router(entryOf('a', { templates: ['x://{id}'] }), entryOf('b', { templates: ['x://{id}'] }));
    expect(by.templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['x://{id}', 'crosspoint+b:x://{id}']);
    expect(ownerOf(by, 'x://7')).toEqual(['a', 'x://7']);
    expect(ownerOf(by, 'crosspoint+b:x://7')).toEqual(['b', 'x://7']);
    expect(ownerOf(by, 'crosspoint+b:x://{id}')).toEqual(['b', 'x://{id}']);
  });

  test('one that is named itself leads to who listed it, whatever others begin with', () => {
    const by = router(
      entryOf('a', { templates: ['db://{table}'] }),
      entryOf('b', { templates: ['db://{table}/{row}', '{+uri}'] }),
    );
    for (const [id, uri] of [
      ['a', 'db://{table}'],
      ['b', 'db://{table}/{row}'],
      ['b', '{+uri}'],
    ] as const)
      expect(ownerOf(by, uri)).toEqual([id, uri]);
  });

  test('one that is all blank routes nothing', () => {
    expect(ownerOf(router(entryOf('a', { templates: ['{+uri}'] })), 'file:///etc/passwd')).toBeUndefined();
  });
});

test('an address of 65,536 characters may be asked for, a longer one is nobody’s', () => {
  const asked: string[] = [];
  const permits = { ...EVERYTHING_PERMITTED, resource: (_: unknown, uri: string) => asked.push(uri) > 0 };
  const entry = entryOf('a', { templates: ['x://{+id}'], capabilities: { resources: {} } });
  for (const one of [false, true]) {
    const by = createResourceRouter([entry], permits, one);
    const longest = `x://${'é'.repeat(65_532)}`;
    expect(ownerOf(by, longest)).toEqual(['a', longest]);
    asked.length = 0;
    expect(ownerOf(by, `${longest}é`)).toBeUndefined();
    expect(asked).toEqual([]);
  }
});

describe('addresses nobody listed', () => {
  test('go to the only connector, if it has resources at all', () => {
    const only = (capabilities: { readonly [name: string]: object }) =>
      createResourceRouter([entryOf('a', { capabilities })], EVERYTHING_PERMITTED, true);
    expect(ownerOf(only({ resources: {} }), 'new:1')).toEqual(['a', 'new:1']);
    expect(ownerOf(only({ tools: {} }), 'new:1')).toBeUndefined();
    expect(ownerOf(router(entryOf('a', {})), 'new:1')).toBeUndefined();
  });
});

describe('permission', () => {
  const permits = {
    ...EVERYTHING_PERMITTED,
    resource: (_entry: unknown, uri: string) => !uri.includes('secret'),
  };

  test('what may not be read is neither listed nor found', () => {
    const entries = [
      entryOf('a', { resources: ['x://secret', 'x://open'], templates: ['x://{id}', 'y://secret/{id}'] }),
    ];
    const by = createResourceRouter(entries, permits, true);
    expect(by.resources.map(({ uri }) => uri)).toEqual(['x://open']);
    expect(by.templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['x://{id}']);
    for (const uri of ['x://secret', 'x://secret/2', 'y://secret/1', 'z://secret'])
      expect(by.ownerOf(uri), uri).toBeUndefined();
  });

  test('is asked for the address the upstream knows, however the agent wrote it', () => {
    const entries = [entryOf('a', { templates: ['x://{id}'] }), entryOf('b', { templates: ['x://{id}'] })];
    expect(createResourceRouter(entries, permits).ownerOf('crosspoint+b:x://secret')).toBeUndefined();
  });

  test('what one may not see does not take an address from another', () => {
    const entries = [entryOf('a', { resources: ['x:1'] }), entryOf('b', { resources: ['x:1'] })];
    const by = createResourceRouter(entries, {
      ...permits,
      resource: ({ connector }) => connector.id !== 'a',
    });
    expect(by.resources.map(({ uri }) => uri)).toEqual(['x:1']);
    expect(by.ownerOf('x:1')?.connector.id).toBe('b');
  });
});
