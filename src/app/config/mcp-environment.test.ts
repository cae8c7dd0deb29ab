import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMcpEnvironment } from './mcp-environment.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-environment-'));
  writeFileSync(join(folder, 'guide.md'), 'Always add a limit.');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SERVER = { MCP_SERVER_DB_URL: 'http://127.0.0.1:1/mcp' };
const read = (environment: Readonly<Record<string, string>>) =>
  readMcpEnvironment({ ...SERVER, ...environment }, folder);

test.each([
  ['MCP_HEALTH_CHECK_INTERVAL', 86_400],
  ['MCP_SERVER_DB_TIMEOUT', 3_600],
  ['MCP_CLIENT_TIMEOUT', 3_600],
])('%s is a time that a timer can measure', (variable, most) => {
  for (const seconds of [0.001, 30, most]) expect(() => read({ [variable]: String(seconds) })).not.toThrow();
  for (const seconds of ['0', '0.0001', '-1', 'soon', String(most + 1), '1e9'])
    expect(() => read({ [variable]: seconds })).toThrow(
      `${variable} must be a number of seconds from 0.001 to ${most}`,
    );
});

test('a list of tools may have blanks and ends in it', () => {
  const { connectors } = read({
    MCP_SERVER_DB_PROMPTS_FILE: 'guide.md',
    MCP_SERVER_DB_PROMPT_TOOL_ASSOCIATION: ' query , , insert,',
  });
  expect(connectors['db']?.['prompts']).toMatchObject([{ name: 'guide', tools: ['query', 'insert'] }]);
});
