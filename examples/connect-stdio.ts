import { connect } from 'crosspoint/client';

const [command = 'node', ...args] = process.argv.slice(2);

await using client = await connect({
  command,
  args,
  // In addition to the few variables that every child inherits.
  env: { LOG_LEVEL: 'info' },
  onStderr: (line) => console.error(`[server] ${line}`),
  info: { name: 'my-program', version: '1.0.0' },
});

const { content } = await client.callTool('now', { zone: 'Europe/Vienna' });
console.log(content[0]?.['text']);
