/** The upstream behind everybody: a bare server of the handshake era, with a session and JSON answers. */
import { createServer } from 'node:http';
import { serveOn } from './port.js';
import { answerOf, toolsOf } from './stub-answers.js';

const tools = toolsOf(Number(process.argv[3] ?? 3));
const SESSION = ['mcp-session-id', 'the-only-one'];

serveOn(
  createServer({ noDelay: true }, (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'GET' ? 405 : 200, { 'content-length': '0' }).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const answer = answerOf(body, tools);
      if (answer === undefined) {
        response.writeHead(202, { 'content-length': '0' }).end();
        return;
      }
      if (answer.streamed !== undefined) {
        response.writeHead(200, ['content-type', 'text/event-stream', 'cache-control', 'no-cache']);
        response.end(answer.streamed);
        return;
      }
      const headers = [
        'content-type',
        'application/json',
        'content-length',
        String(Buffer.byteLength(answer.text)),
      ];
      response.writeHead(200, answer.opens ? [...headers, ...SESSION] : headers).end(answer.text);
    });
  }),
);
