import { buildSnapshot, createExecutor, type Definitions } from 'crosspoint';

/** The part of chat completions that a tool loop needs. */
interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
interface Answer {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
}
type Message =
  | { readonly role: 'user'; readonly content: string }
  | Answer
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

const MOST_ROUNDS = 10;
const [command = 'node', ...args] = process.argv.slice(2);

await using snapshot = await buildSnapshot([{ id: 'sample', command, args }]);
const execute = createExecutor(snapshot);
const messages: Message[] = [{ role: 'user', content: 'Say hello, and tell me the time in Atlantis.' }];

for (let round = 0; round < MOST_ROUNDS; round++) {
  const answer = await complete(messages, snapshot.definitions.openai);
  messages.push(answer);
  if (answer.tool_calls === undefined) break;
  const results = answer.tool_calls.map(async ({ id, function: call }): Promise<Message> => {
    // Nothing is thrown: what went wrong is text for the model too.
    const { data } = await execute(call.name, call.arguments);
    return { role: 'tool', tool_call_id: id, content: data.text };
  });
  messages.push(...(await Promise.all(results)));
}
for (const { role, content } of messages) console.log(`${role}: ${content ?? '(calls tools)'}`);

/** A script instead of a model. A program asks its provider here: `chat.completions.create({ model, messages, tools })`. */
async function complete(history: readonly Message[], tools: Definitions['openai']): Promise<Answer> {
  const nameOf = (tool: string) =>
    tools.find((each) => each.function.name.endsWith(`__${tool}`))?.function.name ?? tool;
  const call = (id: string, tool: string, input: object): ToolCall => ({
    id,
    type: 'function',
    function: { name: nameOf(tool), arguments: JSON.stringify(input) },
  });
  const results = history.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  if (results.length === 0) {
    const calls = [call('call_1', 'echo', { text: 'hello' }), call('call_2', 'now', { zone: 'Atlantis' })];
    return { role: 'assistant', content: null, tool_calls: calls };
  }
  return { role: 'assistant', content: `I said ${results[0]}. The clock says: ${results[1]}.` };
}
