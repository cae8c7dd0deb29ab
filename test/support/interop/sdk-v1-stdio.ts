import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createV1Server } from './sdk-v1-server.js';

await createV1Server().connect(new StdioServerTransport());
