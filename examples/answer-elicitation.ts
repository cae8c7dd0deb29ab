import { createInterface } from 'node:readline/promises';
import { connect, InputRefused, type InputHandler } from 'crosspoint/client';

const [url = 'http://127.0.0.1:8080/mcp'] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stderr });

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
}

/** Asks the user for the fields of a form, one after another. An empty line refuses. */
const elicitation: InputHandler = async ({ params }, { signal }) => {
  const { message, requestedSchema } = params as unknown as Form;
  console.log(`The server asks: ${message}`);
  const content: Record<string, string> = {};
  for (const [name, field] of Object.entries(requestedSchema.properties)) {
    // Fields with a default may be left out: the client fills them in.
    if (field.default !== undefined) continue;
    const answer = await terminal.question(`${name}: `, { signal });
    if (answer === '') throw new InputRefused();
    content[name] = answer;
  }
  return { action: 'accept', content };
};

// A handler is also what tells servers that there is somebody to ask.
await using client = await connect({
  url,
  info: { name: 'my-program', version: '1.0.0' },
  handlers: { elicitation },
});

const { content } = await client.callTool('greet');
console.log(content[0]?.['text']);
terminal.close();
