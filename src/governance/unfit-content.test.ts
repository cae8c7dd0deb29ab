import { expect, test } from 'vitest';
import { withoutUnfit } from './unfit-content.js';

const TEXT = { type: 'text', text: 'before' };

test.each([
  [{ type: 'text', text: 'javascript:alert(1)' }],
  [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
  [{ type: 'audio', mimeType: 'audio/wav', data: 'UklG\r\nRg==' }],
  [{ type: 'resource_link', uri: 'file:///a', name: 'javascript:' }],
  [{ type: 'resource_link', uri: 'javascripts://a', name: 'a' }],
  [{ type: 'resource', resource: { uri: 'x:y', blob: '' } }],
  [{ type: 'resource', resource: { uri: 'x:y', text: 'not base64!' } }],
  [{ type: 'vendor', uri: 'javascript:alert(1)' }],
])('%j passes as it is', (block) => {
  const result = { content: [TEXT, block], isError: false };
  expect(withoutUnfit(result)).toEqual({ result, warnings: [] });
  expect(withoutUnfit(result).result).toBe(result);
});

test.each([
  [
    { type: 'image', mimeType: 'image/png', data: 'data:image/png;base64,iVBORw0KGgo=' },
    /^image .*no base64$/,
  ],
  [{ type: 'image', mimeType: 'image/png', data: 7 }, /no base64/],
  [{ type: 'image', data: 'iVBORw0KGgo=' }, /what kind/],
  [{ type: 'audio', mimeType: 'audio/wav', data: '=a' }, /no base64/],
  [{ type: 'resource_link', uri: 'javascript:alert(1)', name: 'a' }, /script/],
  [{ type: 'resource_link', uri: ' Java\n\u0001Script:alert(1)', name: 'a' }, /script/],
  [{ type: 'resource', resource: { uri: 'vbscript:x', text: '' } }, /script/],
  [{ type: 'resource', resource: { uri: 'x:y', blob: '{}' } }, /no base64/],
  [{ type: 'resource', resource: { uri: 'x:y', text: { a: 1 } } }, /neither text nor data/],
  [{ type: 'resource', resource: { uri: { a: 1 }, text: '' } }, /no address/],
  [{ type: 'resource', resource: 'x:y' }, /neither/],
  [{ type: 'resource_link', uri: 7, name: 'a' }, /no address/],
  [{ type: 'resource_link', uri: 'x:y' }, /no name/],
  [{ type: 'text' }, /has none/],
])('U-20: %j is replaced by words', (block, reason) => {
  const { result, warnings } = withoutUnfit({ content: [TEXT, block], vendor: 1 });
  expect(warnings).toEqual([expect.stringMatching(reason)]);
  expect(result).toEqual({ content: [TEXT, { type: 'text', text: `[${warnings[0]}]` }], vendor: 1 });
});

test.each([
  [42, '42'],
  [null, 'null'],
  [{ a: [1, 'b'] }, '{"a":[1,"b"]}'],
])('U-20: the text %j is written as JSON', (text, written) => {
  const { result, warnings } = withoutUnfit({ content: [TEXT, { type: 'text', text, annotations: {} }] });
  expect(result.content).toEqual([TEXT, { type: 'text', text: written, annotations: {} }]);
  expect(warnings).toHaveLength(1);
});

test('data of any length is looked at in linear time', () => {
  const data = `${'A '.repeat(500_000)}!`;
  const before = performance.now();
  expect(withoutUnfit({ content: [{ type: 'image', mimeType: 'a/b', data }] }).warnings).toHaveLength(1);
  expect(performance.now() - before).toBeLessThan(500);
});
