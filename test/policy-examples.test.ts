import { parseDocument } from 'yaml';
import { describe, expect, test } from 'vitest';
import { readRepositoryFile } from '../scripts/repository.js';
import { matchesAny } from '../src/catalog/index.js';
import { parseConnector, type Connector } from '../src/connectors/index.js';
import { configInput } from '../src/contract/index.js';
import {
  createPolicyEngine,
  flagsOf,
  POLICY_SCHEMA,
  riskOf,
  type Policy,
  type PolicyQuestion,
  type PolicyTarget,
} from '../src/governance/index.js';
import { toAgentId, toConnectorId, toPolicyId, type Clock } from '../src/kernel/index.js';
import { parseJson, type JsonObject } from '../src/mcp/jsonrpc/index.js';
import type { Tool } from '../src/mcp/model/index.js';
import { codeBlocksOf } from './documents.js';
import { rowsOf, sectionOf, tablesOf } from './document-tables.js';

const DOCUMENT = readRepositoryFile('docs/policies.md');
const EXAMPLES = sectionOf(DOCUMENT, 'Examples');
const blocks = (text: string, language: string) =>
  codeBlocksOf(text)
    .filter((block) => block.language === language)
    .map((block) => block.text);

const world = configInput.parse(parseDocument(blocks(EXAMPLES, 'yaml')[0] ?? '').toJS());
const agents: Readonly<Record<string, { readonly tags?: readonly string[] | undefined }>> = {
  local: {},
  ...world.agents,
};
const connectors = new Map<string, Connector>(
  Object.entries(world.connectors ?? {}).map(([id, input]) => [
    id,
    parseConnector(id, input, { source: 'file', now: 0 }),
  ]),
);
const tools = new Map<string, Tool & { readonly claimed: string }>(
  rowsOf(EXAMPLES, 'tool').map((row) => {
    const id = row['tool'] ?? '';
    const annotations = parseJson(row['annotations of the upstream'] ?? '') as JsonObject;
    return [
      id,
      {
        name: id.slice(id.indexOf('/') + 1),
        inputSchema: { type: 'object' },
        annotations,
        claimed: row['risk'] ?? '',
      },
    ];
  }),
);

function toolsetsOf(connector: string, tool: string): readonly string[] {
  return Object.entries(world.toolsets ?? {})
    .filter(([, { tools: patterns }]) => matchesAny(patterns, `${connector}__${tool}`))
    .map(([name]) => name);
}

function tagsOf(connector: Connector, tool: string): readonly string[] {
  return [...connector.tags, ...(connector.toolTags[tool] ?? [])];
}

function targetOf(action: string, connector: Connector, name: string): PolicyTarget {
  const tool = tools.get(`${connector.id}/${name}`);
  if (tool !== undefined) {
    const tags = tagsOf(connector, name);
    return { kind: 'tool', name, tags, annotations: flagsOf(tool), risk: riskOf(flagsOf(tool), tags) };
  }
  if (action === 'read') return { kind: 'resource', uri: name };
  if (action === 'get') return { kind: 'prompt', name };
  throw new Error(`the examples speak of ${connector.id}/${name}, which is in no table`);
}

function questionOf(row: Readonly<Record<string, string>>): PolicyQuestion {
  const { agent = '', action = '', on = '', with: given = '', after = '' } = row;
  const slash = on.indexOf('/');
  const connector = connectors.get(on.slice(0, slash));
  if (connector === undefined || agents[agent] === undefined)
    throw new Error(`the examples have no ${agent} or no ${on}`);
  return {
    agent: { id: toAgentId(agent), tags: agents[agent].tags ?? [] },
    action: action as PolicyQuestion['action'],
    connector: { id: toConnectorId(connector.id), tags: connector.tags },
    target: targetOf(action, connector, on.slice(slash + 1)),
    ...(given !== '' && { args: parseJson(given) as JsonObject }),
    seen: after === '' ? [] : [after],
  };
}

function document(id: string, text: string): Policy {
  return { id: toPolicyId(id), text, source: 'file', version: 1, updatedAt: 0 };
}

test('the schema is shown as it is', () => {
  expect(blocks(DOCUMENT, 'cedarschema')).toEqual([POLICY_SCHEMA]);
});

test.each([...tools])('%s has the risk the document says', (id, tool) => {
  const connector = connectors.get(id.slice(0, id.indexOf('/')))!;
  expect(riskOf(flagsOf(tool), tagsOf(connector, tool.name))).toBe(tool.claimed);
});

const headings = [...EXAMPLES.matchAll(/^### (.*)$/gm)].map((match) => match[1] ?? '');

test('there are at least ten examples', () => {
  expect(headings.length).toBeGreaterThanOrEqual(10);
});

describe.each(headings)('example %s', (heading) => {
  const section = sectionOf(EXAMPLES, heading);
  const rows = tablesOf(section, 'agent').flatMap((table) => table.rows);
  const starter = document('starter', blocks(DOCUMENT, 'cedar')[0] ?? '');
  const texts = blocks(section, 'cedar');

  test('has one document and claims a permission and a refusal of it', () => {
    expect(texts).toHaveLength(1);
    expect(rows.map((row) => row['decision'])).toContain('deny');
    expect(rows.some((row) => row['decision'] !== 'deny')).toBe(true);
  });

  test.each(rows.map((row) => [Object.values(row).join(' '), row] as const))('%s', (_name, row) => {
    const now = row['at'] === undefined ? 0 : Date.parse(row['at']);
    const clock: Clock = { now: () => now, monotonic: () => 0 };
    const engine = createPolicyEngine({ clock, toolsetsOf });
    engine.load([starter, document('example', texts[0] ?? '')]);
    expect(engine.decide(questionOf(row)).kind).toBe(row['decision']);
  });
});
