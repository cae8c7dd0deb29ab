import { describe, expect, test } from 'vitest';
import { connectorIdsIn, editConfigText, type ConfigEdit } from './edit-config-text.js';

const set: ConfigEdit = {
  kind: 'set',
  id: 'files',
  connector: { command: 'node', args: ['server.mjs', '--flag'] },
};

describe('yaml', () => {
  const text = `# top
server:
  port: 9000 # here
connectors:
  # the database
  db: { url: http://localhost:1/mcp } # flow
  old:
    command: old
    disabled: true
`;

  test('what is added stands beside the rest; comments stay', () => {
    expect(editConfigText(text, 'yaml', set)).toBe(`${text}  files:
    command: node
    args:
      - server.mjs
      - --flag
`);
  });

  test('what is removed leaves the rest as it was', () => {
    const after = editConfigText(text, 'yaml', { kind: 'remove', id: 'old' });
    expect(after).toBe(text.slice(0, text.indexOf('  old:')));
  });

  test('switching writes one word and drops its opposite', () => {
    const after = editConfigText(text, 'yaml', { kind: 'enable', id: 'old', enabled: true });
    expect(after).toContain('command: old\n    enabled: true\n');
    expect(after).not.toContain('disabled');
    expect(after).toContain('# the database');
  });

  test.each([
    ['empty', ''],
    ['a comment only', '# nothing\n'],
    ['an empty section', 'connectors:\n'],
    ['another section', 'server: { port: 1 }\n'],
  ])('a file with %s gets the section', (_, before) => {
    expect(connectorIdsIn(editConfigText(before, 'yaml', set), 'yaml')).toEqual(['files']);
  });

  test('comments in a section that has nothing else stay', () => {
    const before = 'connectors: # all of them\n  # db: { url: http://localhost:1/mcp }\n\n# end\n';
    const after = editConfigText(before, 'yaml', set);
    for (const comment of ['# all of them', '# db: { url: http://localhost:1/mcp }', '# end'])
      expect(after).toContain(comment);
    expect(connectorIdsIn(after, 'yaml')).toEqual(['files']);
  });

  test.each(['7', 'true', '0x10'])('an id that YAML takes for something else, %s, is found', (key) => {
    const before = `connectors:\n  ${key}: { command: a }\n  b: { command: b }\n`;
    const [id = ''] = connectorIdsIn(before, 'yaml');
    const disabled = editConfigText(before, 'yaml', { kind: 'enable', id, enabled: false });
    expect(disabled).toContain(`${key}: { command: a, enabled: false }`);
    expect(connectorIdsIn(editConfigText(before, 'yaml', { kind: 'remove', id }), 'yaml')).toEqual(['b']);
  });

  test.each<[string, ConfigEdit]>([
    ['removing what another refers to', { kind: 'remove', id: 'a' }],
    ['switching what refers to another', { kind: 'enable', id: 'b', enabled: false }],
  ])('%s is left to the operator', (_, edit) => {
    const before = 'connectors:\n  a: &a { command: a }\n  b: *a\n';
    expect(() => editConfigText(before, 'yaml', edit)).toThrow(/by an alias \(\*…\): change it in the file/);
  });

  test('a file that keeps its connectors in mcpServers goes on to do so', () => {
    const after = editConfigText('mcpServers:\n  a:\n    command: a\n', 'yaml', set);
    expect(after).not.toContain('connectors');
    expect(connectorIdsIn(after, 'yaml')).toEqual(['a', 'files']);
  });

  test('a file that cannot be read is not touched', () => {
    expect(() => editConfigText('a: [1', 'yaml', set)).toThrow(/line 1/);
    expect(() => editConfigText('- a\n', 'yaml', set)).toThrow(/not a map/);
  });

  test.each(['connectors: [a]\n', 'connectors:\n  - name: a\n', 'mcpServers: a\n'])(
    'connectors that are no map are left to the operator: %j',
    (before) => {
      expect(() => editConfigText(before, 'yaml', set)).toThrow(/is not a map of connectors/);
      expect(() => connectorIdsIn(before, 'yaml')).toThrow(/is not a map of connectors/);
    },
  );

  test('lines go on to end as they did', () => {
    const after = editConfigText('# mine\r\nconnectors:\r\n  a: { command: a }\r\n', 'yaml', set);
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(connectorIdsIn(after, 'yaml')).toEqual(['a', 'files']);
  });
});

describe('json', () => {
  const text = `{
  // the port
  "server": { "port": 9000 },
  "connectors": {
    "db": { "url": "http://localhost:1/mcp" }, // first
  },
}
`;

  test('what is added stands beside the rest; comments stay', () => {
    const after = editConfigText(text, 'json', set);
    expect(after).toContain('// the port');
    expect(after).toContain('// first');
    expect(connectorIdsIn(after, 'json')).toEqual(['db', 'files']);
  });

  test('what is removed is gone', () => {
    const after = editConfigText(text, 'json', { kind: 'remove', id: 'db' });
    expect(connectorIdsIn(after, 'json')).toEqual([]);
    expect(after).toContain('// the port');
  });

  test('an empty file becomes one', () => {
    expect(JSON.parse(editConfigText('', 'json', set))).toEqual({
      connectors: { files: { command: 'node', args: ['server.mjs', '--flag'] } },
    });
  });

  test('a file that cannot be read is not touched', () => {
    expect(() => editConfigText('{\n"a":', 'json', set)).toThrow(/^line 2: a value is missing$/);
    expect(() => editConfigText('[]', 'json', set)).toThrow(/not an object/);
    const list = '{"connectors": [{"command": "node"}]}';
    expect(() => editConfigText(list, 'json', set)).toThrow(/^connectors is not a map of connectors/);
  });
});
