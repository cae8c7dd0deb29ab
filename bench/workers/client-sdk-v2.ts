import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MODERN_REVISION, TEXT, TOOL } from './call.js';
import { callInLoop, type RoundOrder } from './call-loop.js';
import { takeOrders } from './orders.js';

const [url = '', era] = process.argv.slice(2);
const mode = era === 'modern' ? { pin: MODERN_REVISION } : 'legacy';
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const call = () => client.callTool({ name: TOOL, arguments: { text: TEXT } });

takeOrders(client.getProtocolEra(), { run: (order: RoundOrder) => callInLoop(call, order) });
