import { expect, test } from 'vitest';
import { readPasted } from './pasted-servers.js';

test.each<[string, unknown, unknown]>([
  [
    'an address',
    { mcpServers: { 'My Docs': { url: 'https://mcp.example.com/mcp' } } },
    [{ kind: 'remote', addition: { id: 'my-docs', name: 'My Docs', url: 'https://mcp.example.com/mcp' } }],
  ],
  [
    'a bearer token',
    { servers: { a: { type: 'http', url: 'https://x.example', headers: { authorization: 'Bearer abc' } } } },
    [{ kind: 'remote', addition: { auth: { type: 'bearer', token: 'abc' }, credentialMode: 'shared' } }],
  ],
  [
    'other headers',
    { mcpServers: { a: { serverUrl: 'https://x.example', headers: { 'X-Key': 'abc' } } } },
    [{ kind: 'remote', addition: { auth: { type: 'header', headers: { 'X-Key': 'abc' } } } }],
  ],
  [
    'the older transport',
    { a: { url: 'https://x.example/sse', type: 'sse' } },
    [{ addition: { transport: 'sse' } }],
  ],
  [
    'a command',
    { mcpServers: { a: { command: 'npx', args: ['-y', 'x'] } } },
    [{ kind: 'command', line: 'npx -y x' }],
  ],
  ['nothing to reach', { mcpServers: { a: {} } }, [{ kind: 'unreadable' }]],
  ['no name', { mcpServers: { '!!': { url: 'https://x.example' } } }, [{ kind: 'unreadable' }]],
  ['one server alone', { url: 'https://x.example' }, [{ kind: 'remote' }]],
])('reads %s', (_name, document, expected) => {
  expect(readPasted(JSON.stringify(document))).toMatchObject({ servers: expected });
});

test.each(['', '[]', '{"mcpServers":', '{"mcpServers":{}}'])('says what is wrong with %j', (text) => {
  expect(readPasted(text)).toHaveProperty('problem');
});
