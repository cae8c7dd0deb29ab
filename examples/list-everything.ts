import { connect } from 'crosspoint/client';

const [url = 'http://127.0.0.1:8080/mcp'] = process.argv.slice(2);
await using client = await connect({ url, info: { name: 'my-program', version: '1.0.0' } });

const tools = await client.listTools();
for (const { name, description } of tools.items) console.log(`tool ${name}: ${description}`);
for (const { name, reason } of tools.rejected) console.log(`not usable: ${name}, because ${reason}`);

const { items: resources } = await client.listResources();
for (const { uri, name } of resources) console.log(`resource ${uri}: ${name}`);

const { items: templates } = await client.listResourceTemplates();
for (const { uriTemplate, name } of templates) console.log(`template ${uriTemplate}: ${name}`);

const { items: prompts } = await client.listPrompts();
for (const { name, description } of prompts) console.log(`prompt ${name}: ${description}`);

const { completion } = await client.complete({
  ref: { type: 'ref/prompt', name: 'summarise' },
  argument: { name: 'style', value: 'h' },
});
console.log(`styles with h: ${completion.values.join(', ')}`);
