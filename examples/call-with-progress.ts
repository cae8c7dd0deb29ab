import { ClientError, connect } from 'crosspoint/client';

const [url = 'http://127.0.0.1:8080/mcp'] = process.argv.slice(2);
await using client = await connect({ url, info: { name: 'my-program', version: '1.0.0' } });

const result = await client.callTool(
  'countdown',
  { from: 3, intervalMs: 100 },
  {
    onProgress: ({ progress, total, message }) => console.log(`${progress} of ${total}: ${message}`),
    // Each report of progress starts this anew ...
    timeoutMs: 5000,
    // ... and nothing extends this.
    totalMs: 60_000,
  },
);
console.log(result.content[0]?.['text']);

const abort = new AbortController();
try {
  await client.callTool(
    'countdown',
    { from: 100 },
    // Enough of it after the first step. The server is told, in the way of its era.
    { signal: abort.signal, onProgress: () => abort.abort() },
  );
} catch (error) {
  if (!(error instanceof ClientError) || error.code !== 'aborted') throw error;
  console.log('cancelled');
}
