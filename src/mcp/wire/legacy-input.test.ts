import { describe, expect, test } from 'vitest';
import { parseJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { ClientCapabilities, InputRequest } from '../model/index.js';
import {
  LEGACY_REVISIONS,
  missingForInput,
  reducedInput,
  toLegacyInput,
  type LegacyRevision,
} from './index.js';

function elicitation(params: JsonObject): InputRequest {
  return { method: 'elicitation/create', params };
}
function form(properties: Json): InputRequest {
  return elicitation({
    mode: 'form',
    message: 'm',
    requestedSchema: { type: 'object', properties, required: [] },
  });
}
function sampling(params: JsonObject): InputRequest {
  return { method: 'sampling/createMessage', params };
}
function asked(request: InputRequest, revision: LegacyRevision): ReturnType<typeof toLegacyInput> {
  return toLegacyInput(request, revision, () => 'id-1');
}
/** The fields of a form as a client of the first revision with forms sees them. */
function fieldsOf(properties: Json): unknown {
  const input = asked(form(properties), '2025-06-18');
  if (typeof input === 'string') return input;
  return (input.params!['requestedSchema'] as JsonObject)['properties'];
}

describe('roots and sampling', () => {
  test('roots pass to every revision', () => {
    for (const revision of LEGACY_REVISIONS) {
      expect(asked({ method: 'roots/list' }, revision)).toEqual({ method: 'roots/list', params: undefined });
    }
  });

  test('plain sampling passes to every revision', () => {
    const request = sampling({
      messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
      maxTokens: 5,
    });
    for (const revision of LEGACY_REVISIONS) expect(asked(request, revision)).toEqual(request);
  });

  test.each<[string, JsonObject]>([
    ['tools', { messages: [], tools: [] }],
    ['a choice of tools', { messages: [], toolChoice: { mode: 'auto' } }],
    ['a list of blocks', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
    ['a block of tool use', { messages: [{ role: 'assistant', content: { type: 'tool_use' } }] }],
    ['a block of a tool result', { messages: [{ role: 'user', content: { type: 'tool_result' } }] }],
  ])('%s pass only to the revision that has tools in sampling', (_name, params) => {
    expect(asked(sampling(params), '2025-11-25')).toEqual(sampling(params));
    for (const revision of ['2025-06-18', '2025-03-26', '2024-11-05'] as const) {
      expect(asked(sampling(params), revision)).toBeTypeOf('string');
    }
  });

  test('audio becomes text where it was not known', () => {
    const request = sampling({
      messages: [{ role: 'user', content: { type: 'audio', mimeType: 'audio/wav' } }],
    });
    expect(asked(request, '2025-03-26')).toEqual(request);
    expect(asked(request, '2024-11-05')).toEqual(
      sampling({ messages: [{ role: 'user', content: { type: 'text', text: '[audio, audio/wav]' } }] }),
    );
  });
});

describe('elicitation', () => {
  const simple = { type: 'object', properties: { ok: { type: 'boolean' } } };

  test.each(['2025-03-26', '2024-11-05'] as const)('%s has none', (revision) => {
    expect(asked(elicitation({ message: 'm', requestedSchema: simple }), revision)).toBeTypeOf('string');
    expect(asked(elicitation({ mode: 'url', url: 'https://a' }), revision)).toBeTypeOf('string');
  });

  test('2025-11-25 gets the mode, 2025-06-18 does not', () => {
    for (const mode of [{ mode: 'form' }, {}]) {
      const request = elicitation({ ...mode, message: 'm', requestedSchema: simple });
      expect(asked(request, '2025-11-25')).toEqual(
        elicitation({ mode: 'form', message: 'm', requestedSchema: simple }),
      );
      expect(asked(request, '2025-06-18')).toEqual(elicitation({ message: 'm', requestedSchema: simple }));
    }
  });

  test('a URL gets an id in 2025-11-25 and does not exist before', () => {
    const request = elicitation({ mode: 'url', message: 'm', url: 'https://a' });
    expect(asked(request, '2025-11-25')).toEqual(
      elicitation({ elicitationId: 'id-1', mode: 'url', message: 'm', url: 'https://a' }),
    );
    expect(asked(elicitation({ mode: 'url', elicitationId: 'own' }), '2025-11-25')).toEqual(
      elicitation({ mode: 'url', elicitationId: 'own' }),
    );
    expect(asked(request, '2025-06-18')).toBeTypeOf('string');
  });

  test('an unknown mode is not asked', () => {
    for (const mode of ['voice', 7, null]) {
      expect(asked(elicitation({ mode, requestedSchema: simple }), '2025-11-25')).toBeTypeOf('string');
    }
  });
});

describe('what is lost of a question that is asked', () => {
  const audio = sampling({ messages: [{ role: 'user', content: { type: 'audio', data: 'AA' } }] });
  const withDefault = form({ f: { type: 'string', default: 'x' }, g: { type: 'boolean', default: true } });
  test.each<[string, InputRequest, LegacyRevision, readonly string[]]>([
    ['a default', withDefault, '2025-06-18', ['default']],
    ['a default where it is known', withDefault, '2025-11-25', []],
    ['a default where there are no forms', withDefault, '2025-03-26', []],
    ['a default of a number', form({ f: { type: 'number', default: 0 } }), '2025-06-18', ['default']],
    ['a default of a boolean', form({ f: { type: 'boolean', default: true } }), '2025-06-18', []],
    ['no default', form({ f: { type: 'string' } }), '2025-06-18', []],
    [
      'a default in a form that cannot be asked',
      form({ f: { type: 'string', default: 'x' }, g: { type: 'array', items: { enum: ['a'] } } }),
      '2025-06-18',
      [],
    ],
    ['a page', elicitation({ mode: 'url', url: 'https://a.example/' }), '2025-06-18', []],
    ['a form without a schema', elicitation({ message: 'm' }), '2025-06-18', []],
    ['audio', audio, '2024-11-05', ['audio']],
    ['audio where it is known', audio, '2025-03-26', []],
    ['roots', { method: 'roots/list' }, '2024-11-05', []],
  ])('%s', (_name, request, revision, lost) => {
    expect(reducedInput(request, revision)).toEqual(lost);
  });
});

describe('forms for 2025-06-18', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'text',
      { type: 'string', title: 'T', format: 'email' },
      { type: 'string', title: 'T', format: 'email' },
    ],
    ['text with a default', { type: 'string', default: 'x' }, { type: 'string' }],
    ['number with a default', { type: 'number', default: 1, minimum: 0 }, { type: 'number', minimum: 0 }],
    ['boolean with a default', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
    ['choices', { type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [
      'choices with a default',
      { type: 'string', enum: ['a'], default: 'a' },
      { type: 'string', enum: ['a'] },
    ],
    [
      'choices with old titles',
      { type: 'string', enum: ['a'], enumNames: ['A'] },
      { type: 'string', enum: ['a'], enumNames: ['A'] },
    ],
    [
      'choices with titles',
      { type: 'string', title: 'T', oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }], default: 'a' },
      { type: 'string', title: 'T', enum: ['a', 'b'], enumNames: ['A', 'b'] },
    ],
  ])('%s', (_name, field, expected) => {
    expect(fieldsOf({ f: field })).toEqual({ f: expected });
  });

  test.each<[string, Json]>([
    ['several choices', { f: { type: 'array', items: { enum: ['a'] } } }],
    ['a form within the form', { f: { type: 'object', properties: { g: { type: 'string' } } } }],
    ['choices without values', { f: { type: 'string', oneOf: [{ title: 'A' }] } }],
    ['choices that are no list', { f: { type: 'string', oneOf: {} } }],
    ['a field that is none', { f: true }],
    ['no fields', null],
  ])('%s cannot be asked', (_name, properties) => {
    expect(fieldsOf(properties)).toBeTypeOf('string');
  });

  test('a form without a schema cannot be asked', () => {
    expect(asked(elicitation({ message: 'm' }), '2025-06-18')).toBeTypeOf('string');
    expect(asked({ method: 'elicitation/create' }, '2025-06-18')).toBeTypeOf('string');
  });

  test('a field named __proto__ is asked like any other', () => {
    const properties = parseJson('{"__proto__":{"type":"string","default":"x"},"a":{"type":"boolean"}}');
    expect(JSON.stringify(fieldsOf(properties))).toBe(
      '{"__proto__":{"type":"string"},"a":{"type":"boolean"}}',
    );
  });
});

describe('what a client has to declare', () => {
  const toolUse = sampling({ messages: [], tools: [] });
  const plain = sampling({ messages: [] });
  const list = sampling({ messages: [{ role: 'user', content: [] }] });
  const url = elicitation({ mode: 'url' });
  const simple = form({});
  const unnamed = elicitation({ message: 'm' });
  const both = { elicitation: { form: {}, url: {} } };
  const roots: InputRequest = { method: 'roots/list' };

  test.each<[string, InputRequest, ClientCapabilities, ClientCapabilities | undefined]>([
    ['roots', roots, { roots: {} }, undefined],
    ['no roots', roots, {}, { roots: {} }],
    ['sampling', plain, { sampling: {} }, undefined],
    ['no sampling', plain, { roots: {} }, { sampling: {} }],
    ['tools in sampling', toolUse, { sampling: { tools: {} } }, undefined],
    ['no tools in sampling', toolUse, { sampling: { context: {} } }, { sampling: { tools: {} } }],
    ['no sampling, tools asked', toolUse, {}, { sampling: { tools: {} } }],
    ['lists of blocks', list, { sampling: {} }, { sampling: { tools: {} } }],
    ['lists of blocks with tools', list, { sampling: { tools: {} } }, undefined],
    ['form, nothing', simple, {}, { elicitation: { form: {} } }],
    ['form, empty', simple, { elicitation: {} }, undefined],
    ['form, named', simple, { elicitation: { form: {} } }, undefined],
    ['form, only URL', simple, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['form, both', simple, { elicitation: { form: {}, url: {} } }, undefined],
    ['mode absent is form', unnamed, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ['a mode nobody knows', elicitation({ mode: 'voice' }), both, { elicitation: {} }],
    ['a mode that is none', elicitation({ mode: 5 }), both, { elicitation: {} }],
    ['null for no mode', elicitation({ mode: null }), both, undefined],
    ['URL, nothing', url, {}, { elicitation: { url: {} } }],
    ['URL, empty', url, { elicitation: {} }, { elicitation: { url: {} } }],
    ['URL, only form', url, { elicitation: { form: {} } }, { elicitation: { url: {} } }],
    ['URL, named', url, { elicitation: { url: {} } }, undefined],
  ])('%s', (_name, request, capabilities, missing) => {
    expect(missingForInput(request, capabilities)).toEqual(missing);
  });

  test('capabilities of the wrong type count as absent', () => {
    for (const wrong of [null, true, 'x', [], 7]) {
      const capabilities = parseJson(
        JSON.stringify({ roots: wrong, sampling: wrong, elicitation: wrong }),
      ) as unknown as ClientCapabilities;
      for (const request of [roots, plain, toolUse, simple, url]) {
        expect(missingForInput(request, capabilities)).toBeDefined();
      }
    }
  });
});
