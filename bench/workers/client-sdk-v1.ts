import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TEXT, TOOL } from './call.js';
import { callInLoop, type RoundOrder } from './call-loop.js';
import { takeOrders } from './orders.js';

const [url = ''] = process.argv.slice(2);
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const call = () => client.callTool({ name: TOOL, arguments: { text: TEXT } });

takeOrders('legacy', { run: (order: RoundOrder) => callInLoop(call, order) });
