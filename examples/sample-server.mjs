#!/usr/bin/env node
/**
 * A small MCP server: over stdio for the program that starts it, or with `--http [--port <n>]` over Streamable HTTP on
 * this machine's loopback address. It serves clients of both eras; nothing below knows which one it talks to.
 */
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createMcpServer,
  createNodeServer,
  createNotifier,
  INVALID_PARAMS,
  ProtocolError,
  serveChannel,
  toNodeListener,
} from 'crosspoint/server';
import { createStdioChannel } from 'crosspoint/transports';

/** Something the caller of a tool can mend. It becomes a result with `isError`, which a model gets to read. */
class ToolFault extends Error {}

const NOTES_URI = 'sample://notes';
const NOTE_TEMPLATE = `${NOTES_URI}/{number}`;
const MOST_NOTES = 100;
const MOST_LETTERS = 10_000;

/** One list for everybody: this server has no users. */
const notes = [];
const notifier = createNotifier();

const TEXT = { type: 'string', maxLength: MOST_LETTERS };
const HARMLESS = { readOnlyHint: true, openWorldHint: false };

const TOOLS = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Answers with the text it was given.',
    inputSchema: { type: 'object', properties: { text: TEXT }, required: ['text'] },
    annotations: { ...HARMLESS, idempotentHint: true },
    call: (args) => say(textOf(args, 'text')),
  },
  {
    name: 'add',
    title: 'Add two numbers',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    annotations: { ...HARMLESS, idempotentHint: true },
    call: (args) => tell({ sum: numberOf(args, 'a') + numberOf(args, 'b') }),
  },
  {
    name: 'now',
    title: 'What time is it?',
    description: 'The date and time in a time zone, such as Europe/Vienna; UTC unless told otherwise.',
    inputSchema: { type: 'object', properties: { zone: { type: 'string', maxLength: 100 } } },
    annotations: HARMLESS,
    call: (args) => say(timeIn(args.zone === undefined ? 'UTC' : textOf(args, 'zone'))),
  },
  {
    name: 'word_count',
    title: 'Count words',
    description: 'Counts the words, characters and lines of a text in any language.',
    inputSchema: { type: 'object', properties: { text: TEXT }, required: ['text'] },
    outputSchema: {
      type: 'object',
      properties: {
        words: { type: 'integer' },
        characters: { type: 'integer' },
        lines: { type: 'integer' },
      },
      required: ['words', 'characters', 'lines'],
    },
    annotations: { ...HARMLESS, idempotentHint: true },
    call: (args) => tell(count(textOf(args, 'text'))),
  },
  {
    name: 'countdown',
    title: 'Count down',
    description: 'Counts down to zero and reports each step as progress.',
    inputSchema: {
      type: 'object',
      properties: {
        from: { type: 'integer', minimum: 1, maximum: 100 },
        intervalMs: { type: 'integer', minimum: 0, maximum: 10_000, default: 1000 },
      },
      required: ['from'],
    },
    annotations: HARMLESS,
    call: countDown,
  },
  {
    name: 'greet',
    title: 'Greet the user',
    description: 'Asks the user for a name and greets them.',
    inputSchema: { type: 'object' },
    annotations: HARMLESS,
    call: greet,
  },
  {
    name: 'add_note',
    title: 'Take a note',
    description: `Adds a note to ${NOTES_URI}. The last ${MOST_NOTES} are kept until the server ends.`,
    inputSchema: { type: 'object', properties: { text: TEXT }, required: ['text'] },
    annotations: { destructiveHint: false, openWorldHint: false },
    call: (args) => addNote(textOf(args, 'text')),
  },
];

const PROMPT = {
  name: 'summarise',
  title: 'Summarise a text',
  description: 'Asks for a summary of a text in a certain style.',
  arguments: [
    { name: 'text', description: 'What to summarise', required: true },
    { name: 'style', description: 'How the summary is to look' },
  ],
};
const STYLES = ['bullet points', 'haiku', 'one sentence', 'three paragraphs'];

function say(text) {
  // Left out it means the same; written, it shows those who read the answer that it is there.
  return { content: [{ type: 'text', text }], isError: false };
}

/** A result with a form that programs can rely on, and the same as text for those that only read text. */
function tell(structuredContent) {
  return { ...say(JSON.stringify(structuredContent)), structuredContent };
}

function textOf(args, name) {
  const value = args[name];
  if (typeof value === 'string' && value.length <= MOST_LETTERS) return value;
  throw new ToolFault(`"${name}" must be a text of at most ${MOST_LETTERS} characters`);
}

function numberOf(args, name) {
  const value = args[name];
  if (typeof value === 'number') return value;
  throw new ToolFault(`"${name}" must be a number`);
}

function integerOf(args, name, least, most) {
  const value = numberOf(args, name);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ToolFault(`"${name}" must be a whole number from ${least} to ${most}`);
}

function timeIn(timeZone) {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
    return format.format(new Date());
  } catch {
    throw new ToolFault(`"${timeZone}" is no time zone; try one like Europe/Vienna`);
  }
}

function count(text) {
  const segments = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)];
  return {
    words: segments.filter((segment) => segment.isWordLike).length,
    characters: [...new Intl.Segmenter().segment(text)].length,
    lines: text === '' ? 0 : text.split(/\r\n|\r|\n/).length,
  };
}

async function countDown(args, request) {
  const total = integerOf(args, 'from', 1, 100);
  const intervalMs = args.intervalMs === undefined ? 1000 : integerOf(args, 'intervalMs', 0, 10_000);
  for (let progress = 1; progress <= total; progress++) {
    // Aborted when the client cancels the call: the sleep ends with an error, and nobody waits for the result.
    await sleep(intervalMs, undefined, { signal: request.signal });
    request.progress({ progress, total, message: String(total - progress) });
  }
  return say('Lift-off!');
}

async function greet(_args, request) {
  if (request.client.capabilities.elicitation === undefined) return say('Hello, whoever you are!');
  const { who } = await request.askClient({
    who: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Whom may I greet?',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', title: 'Name', minLength: 1, maxLength: 100 },
            loudly: { type: 'boolean', title: 'Loudly', default: false },
          },
          required: ['name'],
        },
      },
    },
  });
  if (who.action !== 'accept') return say('As you like. Good day!');
  const greeting = `Hello, ${textOf(who.content, 'name')}!`;
  return say(who.content.loudly === true ? greeting.toUpperCase() : greeting);
}

function addNote(text) {
  if (notes.length === MOST_NOTES) notes.shift();
  notes.push(text);
  notifier.resourceUpdated(NOTES_URI);
  return say(`Note ${notes.length} taken.`);
}

async function callTool(request) {
  const { name, arguments: args = {} } = request.params;
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, 'Unknown tool');
  try {
    return await tool.call(args, request);
  } catch (error) {
    if (error instanceof ToolFault) return { ...say(error.message), isError: true };
    throw error;
  }
}

function readResource({ params: { uri } }) {
  const answer = (text) => ({ contents: [{ uri, mimeType: 'text/plain', text }] });
  if (uri === NOTES_URI) return answer(notes.map((note, i) => `${i + 1}. ${note}`).join('\n'));
  const number = /^sample:\/\/notes\/([1-9]\d{0,2})$/.exec(uri)?.[1];
  const note = notes[Number(number) - 1];
  if (note === undefined) throw new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri });
  return answer(note);
}

function getPrompt({ params: { name, arguments: args = {} } }) {
  if (name !== PROMPT.name) throw new ProtocolError(INVALID_PARAMS, 'Unknown prompt');
  if (typeof args.text !== 'string')
    throw new ProtocolError(INVALID_PARAMS, 'The argument "text" is missing');
  const text = `Summarise the following text as ${args.style ?? STYLES[2]}.\n\n${args.text}`;
  return { description: PROMPT.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

function complete({ params: { ref, argument } }) {
  let known = [];
  if (ref.type === 'ref/prompt' && ref.name === PROMPT.name && argument.name === 'style') known = STYLES;
  if (ref.type === 'ref/resource' && ref.uri === NOTE_TEMPLATE)
    known = notes.map((_note, i) => String(i + 1));
  const values = known.filter((each) => each.startsWith(argument.value));
  return { completion: { values, total: values.length, hasMore: false } };
}

const server = createMcpServer({
  describe: {
    info: { name: 'crosspoint-sample', version: '1.0.0', title: 'Crosspoint sample server' },
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
    instructions: 'Small tools for trying out a client. Notes are shared by everybody who uses this server.',
  },
  handlers: {
    'tools/list': () => ({ tools: TOOLS.map(({ call: _call, ...definition }) => definition) }),
    'tools/call': callTool,
    'resources/list': () => ({
      resources: [
        { uri: NOTES_URI, name: 'notes', description: 'All notes, numbered', mimeType: 'text/plain' },
      ],
    }),
    'resources/templates/list': () => ({
      resourceTemplates: [
        {
          uriTemplate: NOTE_TEMPLATE,
          name: 'note',
          description: 'One note',
          mimeType: 'text/plain',
        },
      ],
    }),
    'resources/read': readResource,
    'prompts/list': () => ({ prompts: [PROMPT] }),
    'prompts/get': getPrompt,
    'completion/complete': complete,
  },
  listen: notifier.listen,
  onEvent: (event) => {
    // Standard output belongs to the protocol.
    if (event.type === 'handler_failed') console.error(`${event.method} failed`, event.error);
  },
});

function serveStdio() {
  serveChannel(server, createStdioChannel(), 'parent');
}

function serveHttp(port) {
  const http = createNodeServer(toNodeListener(server));
  http.on('error', (error) => {
    const why = error.code === 'EADDRINUSE' ? 'it is in use; choose another with --port' : error.message;
    console.error(`Cannot listen on port ${port}: ${why}`);
    process.exit(1);
  });
  http.listen(port, '127.0.0.1', () => {
    console.log(welcome(`http://127.0.0.1:${http.address().port}/mcp`));
  });
  const stop = () => {
    http.close();
    void server.close(2000).then(() => http.closeAllConnections());
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function welcome(url) {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'add',
      arguments: { a: 2, b: 3 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = [
    'content-type: application/json',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: add',
  ];
  const options = headers.map((header) => `-H '${header}'`).join(' ');
  return `Serving MCP at ${url}\nTry:  curl -s ${url} ${options} -d '${JSON.stringify(call)}'\nCtrl-C ends it.`;
}

function main() {
  const { values } = parseArgs({
    options: { http: { type: 'boolean', default: false }, port: { type: 'string', default: '8080' } },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
    throw new Error('--port must be a port number');
  if (values.http) serveHttp(Number(values.port));
  else serveStdio();
}

try {
  main();
} catch (error) {
  console.error(`${error.message}\nUsage: sample-server.mjs [--http [--port <n>]]`);
  process.exitCode = 2;
}
