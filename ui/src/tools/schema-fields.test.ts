import { describe, expect, test } from 'vitest';
import { writeJson } from '../shared/exact-json.js';
import {
  fieldsOf,
  initialTexts,
  keyOf,
  readArguments,
  takesOthers,
  toTexts,
  withoutField,
} from './schema-fields.js';

const SCHEMA = {
  type: 'object',
  required: ['title', 'count', 'place'],
  properties: {
    title: { type: 'string' },
    body: { type: 'string', maxLength: 5_000 },
    count: { type: 'integer', default: 3 },
    ratio: { type: ['number', 'null'] },
    urgent: { type: 'boolean' },
    state: { enum: ['open', 1, null] },
    labels: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { $ref: '#/$defs/size' } },
    place: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, zip: { type: 'integer' } },
    },
    extra: { anyOf: [{ $ref: '#/$defs/size' }, { type: 'null' }] },
    anything: {},
    elsewhere: { $ref: 'https://evil.example/schema' },
    own: { $ref: '#/properties/own' },
    colour: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }, { const: 'g' }], default: 'g' },
    named: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
    several: { type: 'array', items: { anyOf: [{ const: 'x', title: 'The x' }, { const: 'y' }] } },
  },
  $defs: { size: { type: 'integer' } },
};

const fields = fieldsOf(SCHEMA);
const text = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([path, value]) => [keyOf({ path: path.split('.') }), value]),
  );

describe('fields of a schema', () => {
  test('are of the kind their type asks for; what is unusual is JSON', () => {
    expect(fields.map(({ path, kind }) => `${path.join('.')} ${kind}`)).toEqual([
      'title text',
      'body long',
      'count integer',
      'ratio number',
      'urgent boolean',
      'state choice',
      'labels list',
      'sizes list',
      'place group',
      'extra integer',
      'anything json',
      'elsewhere json',
      'own json',
      'colour choice',
      'named choice',
      'several choices',
    ]);
    expect(initialTexts(fields)).toEqual(text({ count: '3', colour: '"g"' }));
  });

  test('offer values under the names they have for people', () => {
    const offered = fields.flatMap((field) =>
      'choices' in field ? field.choices.map(({ value, label }) => `${value} ${label}`) : [],
    );
    expect(offered).toEqual([
      '"open" open',
      '1 1',
      'null null',
      '"r" Red',
      '"g" g',
      '"a" First',
      '"b" Second',
      '"x" The x',
      '"y" y',
    ]);
  });

  test('keep every digit', () => {
    const typed = text({ title: 't', count: '9007199254740993', ratio: '0.12345678901234567891' });
    const more = text({ sizes: '1\n-90071992547409930', anything: '{"x":12345678901234567890}' });
    const outcome = readArguments(fields, { ...typed, ...more });
    const args = 'args' in outcome ? outcome.args : {};
    expect(writeJson(args)).toBe(
      '{"title":"t","count":9007199254740993,"ratio":0.12345678901234567891,"sizes":[1,-90071992547409930],"place":{"city":""},"anything":{"x":12345678901234567890}}',
    );
    expect(writeJson(readArguments(fields, toTexts(fields, args)))).toBe(writeJson({ args }));
  });

  test('give the arguments that were typed, and nothing for what was left blank', () => {
    const typed = text({
      title: 'Slow',
      count: '5',
      urgent: 'false',
      state: '"open"',
      labels: 'a\n\nb ',
      sizes: '1\n2',
      'place.city': 'Wien',
      anything: '{"x":[1]}',
    });
    const args = {
      title: 'Slow',
      count: 5,
      urgent: false,
      state: 'open',
      labels: ['a', 'b '],
      sizes: [1, 2],
      place: { city: 'Wien' },
      anything: { x: [1] },
    };
    expect(readArguments(fields, typed)).toEqual({ args });
    expect(readArguments(fields, toTexts(fields, args))).toEqual({ args });
  });

  test.each([
    [{ count: '' }, 'count'],
    [{ count: '1.5' }, 'count'],
    [{ count: '9007199254740993.5' }, 'count'],
    [{ ratio: 'much' }, 'ratio'],
    [{ sizes: '1\nx' }, 'sizes'],
    [{ anything: '{' }, 'anything'],
    [{ 'place.zip': 'x' }, 'place.zip'],
  ])('name what is wrong with %j', (values, path) => {
    const outcome = readArguments(fields, { ...text({ title: 't', count: '1' }), ...text(values) });
    expect('problems' in outcome && Object.keys(outcome.problems)).toEqual([
      keyOf({ path: path.split('.') }),
    ]);
  });

  test('take names that mean something elsewhere as names', () => {
    const odd = fieldsOf(
      JSON.parse('{"properties":{"__proto__":{"type":"string"},"a.b":{"type":"string"}}}') as Readonly<
        Record<string, unknown>
      >,
    );
    const outcome = readArguments(odd, {
      [keyOf({ path: ['__proto__'] })]: 'x',
      [keyOf({ path: ['a.b'] })]: 'y',
    });
    expect(JSON.stringify(outcome)).toBe('{"args":{"__proto__":"x","a.b":"y"}}');
  });

  test('that may be null are blank where null is the default, and then not given', () => {
    const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }], default: null });
    const nullable = fieldsOf({
      properties: {
        word: orNull({ type: 'string' }),
        count: orNull({ type: 'integer' }),
        sure: orNull({ type: 'boolean' }),
        words: orNull({ type: 'array', items: { type: 'string' } }),
        state: orNull({ enum: ['open', 'done'] }),
        any: { default: null },
        none: { enum: ['x', null], default: null },
      },
    });
    expect(initialTexts(nullable)).toEqual(text({ any: 'null', none: 'null' }));
    expect(readArguments(nullable, initialTexts(nullable))).toEqual({ args: { any: null, none: null } });
    expect(toTexts(nullable, { word: null, count: null })).toEqual(text({ word: '', count: '' }));
  });

  test('keep what was typed where something else is missing or wrong', () => {
    const typed = text({ title: 'Slow', count: '', ratio: 'much', sizes: '1\nx', 'place.city': 'Wien' });
    const outcome = readArguments(fields, typed);
    const kept = 'typed' in outcome ? outcome.typed : {};
    expect(kept).toEqual({ title: 'Slow', ratio: 'much', sizes: '1\nx', place: { city: 'Wien' } });
    expect(toTexts(fields, kept)).toEqual(
      text({ title: 'Slow', ratio: 'much', sizes: '1\nx', 'place.city': 'Wien' }),
    );
  });

  test('are known to lack what they are not for', () => {
    const args = { title: 't', place: { city: 'Wien', country: 'AT' }, other: 1 };
    expect(withoutField(fields, args)).toEqual(['place.country', 'other']);
    expect(withoutField(fields, { title: 't', place: 'Wien' })).toEqual(['place']);
  });

  test('are found behind a reference and behind the only part of a whole', () => {
    const $defs = {
      all: { properties: { a: { allOf: [{ $ref: '#/$defs/c' }], default: 'x' } } },
      c: { enum: ['x'] },
    };
    const [field, ...others] = fieldsOf({ $ref: '#/$defs/all', $defs });
    expect(field).toMatchObject({ kind: 'choice', initial: '"x"', choices: [{ value: '"x"' }] });
    expect(others).toEqual([]);
  });

  test.each([
    [{ type: 'object' }, false],
    [{ type: 'object', properties: {}, additionalProperties: false }, false],
    [{ type: 'object', additionalProperties: true }, true],
    [{ type: 'object', additionalProperties: { type: 'string' } }, true],
    [{ type: 'object', oneOf: [{ properties: { a: {} } }] }, true],
    [{ type: 'object', patternProperties: { '^x': {} } }, true],
  ])('of %j are not all there is: %j', (schema, expected) => {
    expect(takesOthers(schema)).toBe(expected);
  });
});
