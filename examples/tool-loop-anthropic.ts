import { buildSnapshot, createExecutor, type Definitions } from 'crosspoint';

/** The part of the messages API that a tool loop needs. */
interface Text {
  readonly type: 'text';
  readonly text: string;
}
interface ToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: { readonly [name: string]: string | number };
}
interface ToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}
interface Answer {
  readonly stop_reason: 'tool_use' | 'end_turn';
  readonly content: readonly (Text | ToolUse)[];
}
type Message =
  | { readonly role: 'user'; readonly content: string | readonly ToolResult[] }
  | { readonly role: 'assistant'; readonly content: Answer['content'] };

const MOST_ROUNDS = 10;
const [command = 'node', ...args] = process.argv.slice(2);

// Two copies of one server: their tools have the same names and are still told apart.
await using snapshot = await buildSnapshot([
  { id: 'first', command, args },
  { id: 'second', command, args },
]);
const execute = createExecutor(snapshot, { maxBytes: 50_000 });
const messages: Message[] = [
  { role: 'user', content: 'Note "milk" in the first, then ask the second for the time in Atlantis.' },
];

for (let round = 0; round < MOST_ROUNDS; round++) {
  const { stop_reason, content } = await createMessage(messages, snapshot.definitions.anthropic);
  messages.push({ role: 'assistant', content });
  for (const block of content) if (block.type === 'text') console.log(block.text);
  if (stop_reason !== 'tool_use') break;
  const uses = content.filter((block) => block.type === 'tool_use');
  const results = uses.map(async ({ id, name, input }): Promise<ToolResult> => {
    const { ok, data, warnings } = await execute(name, input);
    for (const { code, message } of warnings) console.error(`${name}: ${code}, ${message}`);
    return { type: 'tool_result', tool_use_id: id, content: data.text, is_error: !ok };
  });
  messages.push({ role: 'user', content: await Promise.all(results) });
}

/** A script instead of a model. A program asks its provider here: `messages.create({ model, max_tokens, messages, tools })`. */
async function createMessage(history: readonly Message[], tools: Definitions['anthropic']): Promise<Answer> {
  const known = new Set(tools.map(({ name }) => name));
  const use = (id: string, name: string, input: ToolUse['input']): Answer => {
    if (!known.has(name)) throw new Error(`${name} is not one of the tools`);
    const text = `I use ${name}.`;
    return {
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text },
        { type: 'tool_use', id, name, input },
      ],
    };
  };
  const last = history.at(-1)?.content;
  const result = Array.isArray(last) ? (last as readonly ToolResult[])[0] : undefined;
  if (result === undefined) return use('toolu_1', 'mcp_first__add_note', { text: 'milk' });
  if (result.tool_use_id === 'toolu_1') return use('toolu_2', 'mcp_second__now', { zone: 'Atlantis' });
  return {
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: `${result.is_error ? 'It failed' : 'It says'}: ${result.content}` }],
  };
}
