import { connect } from 'crosspoint/client';

const [url = 'http://127.0.0.1:8080/mcp', token] = process.argv.slice(2);
const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };

await using client = await connect({
  url,
  info: { name: 'my-program', version: '1.0.0' },
  // Asked for every request, so a token may change in between.
  headers: () => headers,
});

const { info, revision } = client.server;
console.log(`Connected to ${info.name} ${info.version}, revision ${revision}`);

const result = await client.callTool('add', { a: 2, b: 3 });
console.log(result.structuredContent);
