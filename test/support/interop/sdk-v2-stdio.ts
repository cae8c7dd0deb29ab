import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Observed } from './served.js';
import { createV2Server } from './sdk-v2-server.js';

serveStdio(() => createV2Server(new Observed(), () => undefined));
