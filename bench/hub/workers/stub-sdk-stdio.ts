/** The echo tool over stdio as most people write it: with the official SDK, its server, its transport and its checks. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';
import { echo, ECHO_TOOL } from '../../workers/call.js';

const server = new McpServer({ name: 'stub', version: '1.0.0' });
const { name, description } = ECHO_TOOL;
server.registerTool(name, { description, inputSchema: { text: z.string() } }, ({ text }) => echo(text));
await server.connect(new StdioServerTransport());
