import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { parseDocument } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configKeysOf, type KeySchema } from '../scripts/config-keys.js';
import { readRepositoryFile, repositoryFiles } from '../scripts/repository.js';
import { configJsonSchema, loadConfig } from '../src/app/index.js';
import { addServeCommand } from '../src/cli/commands/serve.js';
import { parseConnector } from '../src/connectors/index.js';
import { configInput } from '../src/contract/index.js';
import { codeBlocksOf } from './documents.js';
import { rowsOf, sectionOf } from './document-tables.js';

const TEXT = readRepositoryFile('docs/configuration.md');
const SCHEMA = z.toJSONSchema(configInput, { io: 'input', target: 'draft-7' }) as KeySchema;
const folder = mkdtempSync(join(tmpdir(), 'crosspoint-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the document tells, by dotted path from the top of the file. */
const told = [
  ...rowsOf(TEXT, 'key').map((row) => ({ ...row, path: row['key'] ?? '' })),
  ...rowsOf(TEXT, 'field').map((row) => ({ ...row, path: `connectors.ID.${row['field'] ?? ''}` })),
].map(({ path, ...row }: { path: string } & Record<string, string>) => ({
  path,
  type: row['type'],
  default: row['default'] ?? '',
}));

describe('keys', () => {
  const keys = configKeysOf(SCHEMA).filter(
    ({ type, path }) => !/^(?:map to )?keys below$/.test(type) && !path.startsWith('mcpServers.'),
  );

  test('are all told of, with what they may be', () => {
    const expected = Object.fromEntries(keys.map(({ path, type }) => [path, type]));
    expect(Object.fromEntries(told.map(({ path, type }) => [path, type]))).toEqual(expected);
  });

  test('of mcpServers are those of connectors', () => {
    const below = (name: string) =>
      configKeysOf(SCHEMA)
        .filter(({ path }) => path.startsWith(`${name}.`))
        .map(({ path, type }) => [path.slice(name.length), type]);
    expect(below('mcpServers')).toEqual(below('connectors'));
  });

  test('have the defaults that are told', () => {
    const config = loadConfig({ flags: {}, environment: {}, folder, now: 0 });
    const origin = { source: 'file', now: 0 } as const;
    const { endpoint, ...http } = parseConnector('x', { url: 'https://example.com/mcp' }, origin);
    const stdio = parseConnector('x', { command: 'x' }, origin).endpoint;
    const known: Readonly<Record<string, unknown>> = {
      ...under('server', config.server),
      'coordination.url': config.coordinationUrl,
      ...under('audit', { onFailure: 'refuse', ...config.audit }),
      ...under('limits.perAgent', config.limits.perAgent),
      ...under('limits.perTool', config.limits.perTool),
      ...under('health', config.health),
      'sync.intervalMs': config.syncIntervalMs,
      outputCheck: config.outputCheck,
      policies: config.policies,
      ...under('connectors.ID', { ...stdio, ...http }),
      ...under('connectors.ID.timeouts', http.timeouts),
      ...under('connectors.ID.limits', http.limits),
      'connectors.ID.auth.type': http.auth.type,
    };
    const wrong = told.filter(({ path, default: shown }) => {
      const value = known[path];
      // Defaults in words depend on something else; those with one plain value can be compared.
      if (!Object.hasOwn(known, path) || / /.test(shown)) return false;
      return shown !== (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));
    });
    expect(wrong.filter(({ path }) => !WORDED.includes(path))).toEqual([]);
    expect(endpoint.transport).toBe('streamable_http');
  });
});

/** Told where the value comes from rather than what it is in the example. */
const WORDED = ['connectors.ID.command', 'connectors.ID.cwd', 'connectors.ID.transport'];

function under(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value as unknown]),
  );
}

test('the examples are valid', () => {
  const blocks = codeBlocksOf(TEXT).filter(({ language }) => language === 'yaml');
  expect(blocks.length).toBeGreaterThan(1);
  const environment = {
    ADMIN_TOKEN: 'kT4v9QmZx2LwRb7NcJ8s',
    CI_AGENT_KEY: 'Zp5Xq1VhY6uKd3GfT0eA',
    DB_TOKEN: 'd',
  };
  for (const [index, { text }] of blocks.entries()) {
    expect(parseDocument(text).errors).toEqual([]);
    const config = `${index}.yaml`;
    writeFileSync(join(folder, config), text);
    expect(() => loadConfig({ flags: { config }, environment, folder, now: 0 })).not.toThrow();
  }
});

test('the example of a prompt file gives what is said of it', () => {
  const [example] = codeBlocksOf(TEXT).filter(({ language }) => language === 'markdown');
  writeFileSync(join(folder, 'prompts.md'), example?.text ?? '');
  writeFileSync(
    join(folder, 'prompts.json'),
    JSON.stringify({ connectors: { db: { url: 'http://127.0.0.1/mcp', prompts: './prompts.md' } } }),
  );
  const { connectors } = loadConfig({ flags: { config: 'prompts.json' }, environment: {}, folder, now: 0 });
  expect(
    connectors[0]?.prompts.map(({ name, description, arguments: args }) => ({
      name,
      description,
      args: args.map((each) => each.name),
    })),
  ).toEqual([
    { name: 'weekly_report', description: 'Summarises one week of a table.', args: ['table', 'monday'] },
    { name: 'careful_queries', description: undefined, args: [] },
  ]);
});

describe('variables', () => {
  const variables = rowsOf(sectionOf(TEXT, 'Environment'), 'variable').map((row) => row['variable'] ?? '');
  const sources = repositoryFiles()
    .filter((path) => /^src\/(?:app|cli)\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'))
    .map(readRepositoryFile)
    .join('\n');

  test('of our own are those the code knows', () => {
    const known = new Set([...sources.matchAll(/\bCROSSPOINT_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name));
    expect(variables.filter((name) => name.startsWith('CROSSPOINT_')).toSorted()).toEqual(
      [...known].toSorted(),
    );
  });

  test('of existing deployments are those the code knows', () => {
    const plain = [...sources.matchAll(/'(MCP_[A-Z_]*[A-Z])'/g)].map((match) => match[1] ?? '');
    const suffixes = /const SUFFIXES = \[([^\]]*)\]/.exec(sources)?.[1]?.match(/[A-Z_]+/g) ?? [];
    expect(suffixes.length).toBeGreaterThan(5);
    const known = new Set([...plain, ...suffixes.map((suffix) => `MCP_SERVER_NAME_${suffix}`)]);
    // A code of the transports, and no variable.
    known.delete('MCP_SESSION_NOT_FOUND');
    expect(variables.filter((name) => name.startsWith('MCP_')).toSorted()).toEqual([...known].toSorted());
  });

  test('of existing deployments make a connector', () => {
    const environment = {
      MCP_SERVER_CORPORATE__DATA_TYPE: 'remote',
      MCP_SERVER_CORPORATE__DATA_URL: 'http://localhost:8005/mcp',
      MCP_SERVER_CORPORATE__DATA_TIMEOUT: '2.5',
      MCP_CLIENT_RETRY_ATTEMPTS: '3',
      MCP_HEALTH_CHECK_INTERVAL: '30',
    };
    const { connectors, health } = loadConfig({ flags: {}, environment, folder, now: 0 });
    expect(connectors.map(({ id, retries, timeouts }) => [id, retries, timeouts.requestMs])).toEqual([
      ['corporate-data', 3, 2500],
    ]);
    expect(health.intervalMs).toBe(30_000);
  });
});

test('flags of serve are told of', () => {
  const program = new Command();
  addServeCommand(program, {} as never);
  const flags = program.commands[0]?.options.map(({ long }) => long) ?? [];
  expect(rowsOf(TEXT, 'flag').map((row) => row['flag'])).toEqual(flags);
});

test('crosspoint.schema.json is the schema of the code: npm run schema writes it', () => {
  const written = JSON.parse(readRepositoryFile('crosspoint.schema.json')) as object;
  expect(written).toEqual(configJsonSchema());
  expect(written).toMatchObject(SCHEMA);
});
