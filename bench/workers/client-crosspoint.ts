import { connect } from '../../src/mcp/client/index.js';
import { TEXT, TOOL, type Era } from './call.js';
import { callInLoop, type RoundOrder } from './call-loop.js';
import { takeOrders } from './orders.js';

const [url = '', era] = process.argv.slice(2);
const client = await connect({ url, era: era as Era, info: { name: 'bench', version: '1.0.0' } });
const call = () => client.callTool(TOOL, { text: TEXT });

takeOrders(client.server.era, { run: (order: RoundOrder) => callInLoop(call, order) });
