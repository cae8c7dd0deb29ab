/** Keeps a server busy over plain sockets, where nothing better is installed. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { AnswerReader } from '../../workers/answer-reader.js';
import type { LoadOrder } from '../load.js';
import { FIRST_ID } from '../work.js';

const { url, request, connections, seconds } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as LoadOrder;
const { hostname, port, host, pathname } = new URL(url);
const head = [
  `POST ${pathname} HTTP/1.1`,
  `host: ${host}`,
  `content-length: ${Buffer.byteLength(request.body)}`,
  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
];
let lastId = FIRST_ID;
let opened = 0;

function toBytes(): Buffer {
  const session = request.sessions[opened++ % Math.max(1, request.sessions.length)];
  const lines = session === undefined ? head : [...head, `mcp-session-id: ${session}`];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${request.body}`);
}

const times: number[] = [];
let errors = 0;
const begin = performance.now();
const end = begin + seconds * 1000;

function converse(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const own = toBytes();
    const idAt = own.lastIndexOf(String(FIRST_ID));
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      own.write(String(++lastId), idAt, 'latin1');
      if (sentAt < end) socket.write(own);
      else socket.end();
    };
    const reader = new AnswerReader(({ status, body }) => {
      times.push((performance.now() - sentAt) * 1000);
      if (status !== 200 || !body.includes(request.proof)) errors++;
      send();
    });
    socket.once('connect', send);
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.setTimeout(10_000, () => socket.destroy(new Error('the server does not answer')));
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}

await Promise.all(Array.from({ length: connections }, converse));
times.sort((a, b) => a - b);
const at = (share: number): number => Math.round(times[Math.floor(times.length * share)] ?? 0);
const figures = {
  requests: times.length,
  seconds: (performance.now() - begin) / 1000,
  p50Micros: at(0.5),
  p99Micros: at(0.99),
  errors,
};
console.log(`figures ${JSON.stringify(figures)}`);
