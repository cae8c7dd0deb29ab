import { createInterface } from 'node:readline';
import { endlessly, NOTICE, withNotices } from './isolation-floods.js';

/**
 * A server of the handshake era over stdio, for the isolation measure. Calls of a tool are answered after the flood it is named for; as
 * `endless`, `torrent` or `stderr` it floods all the time.
 */

const [kind] = process.argv.slice(2);
const FINE = { content: [{ type: 'text', text: 'fine' }] };
const toLine = (text: string): string => `${text}\n`;

const LONG = toLine(NOTICE.replace('"x"', `"${'x'.repeat(200_000)}"`));
const BEFORE: Readonly<Record<string, string>> = {
  fine: '',
  lines: withNotices(toLine),
  garbage: 'this is no message\n'.repeat(900),
  long: LONG,
};
const METHODS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'flood', version: '1' },
  },
  ping: {},
  'tools/list': {
    tools: Object.keys(BEFORE).map((name) => ({ name, inputSchema: { type: 'object' } })),
  },
  'tools/call': FINE,
};

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  if (method === 'notifications/initialized') {
    if (kind === 'endless') endlessly(process.stdout, withNotices(toLine));
    if (kind === 'torrent') endlessly(process.stdout, LONG);
    if (kind === 'stderr') endlessly(process.stderr, 'all is well\n'.repeat(5_000));
  }
  if (id === undefined) return;
  const result = METHODS[method];
  const outcome =
    result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
  process.stdout.write(
    `${BEFORE[params?.name ?? ''] ?? ''}${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`,
  );
});
