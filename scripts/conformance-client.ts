/**
 * The client under test in the official conformance suites: `npm run -s conformance:client -- URL`. The suite names the
 * scenario, the protocol revision and what else the scenario needs in the environment, and reads the exit code.
 */
import { isObject, type JsonObject } from '../src/mcp/jsonrpc/index.js';
import type { Tool } from '../src/mcp/model/index.js';
import { connect, type InputHandlers, type McpClient } from '../src/mcp/client/index.js';
import { isModernRevision, type Era } from '../src/mcp/wire/index.js';
import { ConformanceAccount, expectRefusal } from './conformance-account.js';

interface Assignment {
  readonly url: string;
  readonly scenario: string;
  readonly era: Era;
  readonly context: JsonObject;
}

type Drive = (client: McpClient, assignment: Assignment) => Promise<unknown>;

interface ScenarioDriver {
  readonly drive: Drive;
  /** Given the client, because a handler may have to call while another call waits. */
  readonly handlers?: (client: () => McpClient) => InputHandlers;
}

const INFO = { name: 'conformance-client', version: '1.0.0' };

/** Authorization servers that must not be trusted. */
const REFUSED: ReadonlySet<string> = new Set([
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
]);

const ACCEPT: InputHandlers = {
  elicitation: () => ({ action: 'accept', content: {} }),
  sampling: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Nothing to say' } }),
  roots: () => ({ roots: [] }),
};

const SCENARIOS: Readonly<Record<string, ScenarioDriver>> = {
  initialize: { drive: (client) => client.listTools() },
  tools_call: { drive: (client) => callListed(client, 'add_numbers', { a: 5, b: 3 }) },
  'elicitation-sep1034-client-defaults': {
    drive: (client) => callListed(client, 'test_client_elicitation_defaults', {}),
    handlers: () => ACCEPT,
  },
  'sse-retry': { drive: (client) => callListed(client, 'test_reconnection', {}) },
  'request-metadata': { drive: (client) => client.listTools(), handlers: () => ACCEPT },
  'sep-2322-client-request-state': { drive: driveRounds, handlers: answerWhileCalling },
  'http-standard-headers': { drive: driveEverything },
  'http-custom-headers': { drive: driveGivenCalls },
  'http-invalid-tool-headers': { drive: driveListedTools },
  'json-schema-ref-no-deref': { drive: (client) => client.listTools() },
  'json-schema-2020-12-preservation': { drive: driveSchemaEcho },
  'sep-2640-client-no-prefetch': { drive: (client) => client.request('skills/list', {}) },
};

/** Calls with states of different kinds. The server checks that none leaks into another call. */
async function driveRounds(client: McpClient): Promise<void> {
  await callListed(client, 'test_mrtr_echo_state', {});
  await client.callTool('test_mrtr_no_state', {});
  await client.callTool('test_mrtr_no_result_type', {});
}

function answerWhileCalling(client: () => McpClient): InputHandlers {
  return {
    elicitation: async () => {
      await client().callTool('test_mrtr_unrelated', {});
      return { action: 'accept', content: { confirmed: true } };
    },
  };
}

async function driveEverything(client: McpClient): Promise<void> {
  for (const tool of (await client.listTools()).items) await client.callTool(tool.name, {});
  for (const resource of (await client.listResources()).items) await client.readResource(resource.uri);
  for (const prompt of (await client.listPrompts()).items) await client.getPrompt(prompt.name);
}

async function driveGivenCalls(client: McpClient, { context }: Assignment): Promise<void> {
  const { toolCalls } = context;
  if (!Array.isArray(toolCalls)) throw new Error('the context names no tool calls');
  await client.listTools();
  for (const { name, arguments: args } of toolCalls.filter(isObject)) {
    if (typeof name !== 'string' || !isObject(args))
      throw new Error('the context names a tool call without arguments');
    await client.callTool(name, args);
  }
}

async function driveListedTools(client: McpClient): Promise<void> {
  for (const tool of (await client.listTools()).items) await client.callTool(tool.name, makeArguments(tool));
}

async function driveSchemaEcho(client: McpClient): Promise<void> {
  const tool = (await client.listTools()).items.find(({ name }) => name === 'json_schema_2020_12_tool');
  if (tool === undefined) throw new Error('the tool with the schema is not listed');
  await client.callTool('json_schema_echo', { schema: tool.inputSchema });
}

/** Lists first, as a host does: what a tool looks like decides which headers its calls carry. */
async function callListed(client: McpClient, name: string, args: JsonObject): Promise<void> {
  const { items } = await client.listTools();
  if (!items.some((tool) => tool.name === name)) throw new Error(`${name} is not listed`);
  await client.callTool(name, args);
}

function makeArguments({ inputSchema }: Tool): JsonObject {
  const { properties } = inputSchema;
  return Object.fromEntries(
    Object.keys(isObject(properties) ? properties : {}).map((name) => [name, 'value']),
  );
}

function readAssignment(): Assignment {
  const url = process.argv.at(-1);
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'];
  if (url === undefined || !URL.canParse(url) || scenario === undefined) {
    throw new Error('usage: MCP_CONFORMANCE_SCENARIO=<name> npm run -s conformance:client -- <url>');
  }
  // The older line of the suite knows legacy revisions only and names none.
  const revision = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'];
  const era = isModernRevision(revision) ? 'modern' : 'legacy';
  const context: unknown = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  return { url, scenario, era, context: isObject(context) ? context : {} };
}

async function run(assignment: Assignment): Promise<void> {
  const driver = SCENARIOS[assignment.scenario];
  if (driver === undefined) throw new Error(`no driver for scenario ${assignment.scenario}`);
  const client: McpClient = await connect({
    url: assignment.url,
    era: assignment.era,
    info: INFO,
    handlers: driver.handlers?.(() => client),
  });
  try {
    await driver.drive(client, assignment);
  } finally {
    await client.close();
  }
}

/** Whatever is asked of an account is asked of the same conversation: it lists, calls and lists again. */
async function runWithAccount({ url, era, context }: Assignment): Promise<void> {
  const account = new ConformanceAccount(url, context);
  const client = await account.authorized(() => connect({ url, era, info: INFO, headers: account.headers }));
  try {
    await account.authorized(() => client.listTools());
    await account.authorized(() => client.callTool('test-tool', {}));
    await account.authorized(() => client.listTools());
  } finally {
    await client.close();
  }
}

const assignment = readAssignment();
if (!assignment.scenario.startsWith('auth/')) await run(assignment);
else if (REFUSED.has(assignment.scenario)) await expectRefusal(() => runWithAccount(assignment));
else await runWithAccount(assignment);
