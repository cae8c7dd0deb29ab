/** The least that can stand between HTTP and a child: requests become lines, lines become answers, nothing is read or checked. */
import { spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const [, , port = '', command = '', ...args] = process.argv;
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
const waiting = new Map<string, Socket>();
const ID = /"id":(\d+)/;
let lines = '';

function answer(socket: Socket | undefined, status: string, body: string): void {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  socket?.write(head + body);
}

/** One write for all that a turn of the event loop brings. */
function flush(): void {
  child.stdin.write(lines);
  lines = '';
}

function pass(socket: Socket, body: string): void {
  if (lines === '') setImmediate(flush);
  lines += `${body}\n`;
  const id = ID.exec(body)?.[1];
  if (id === undefined) answer(socket, '202 Accepted', '');
  else waiting.set(id, socket);
}

createInterface({ input: child.stdout }).on('line', (line) => {
  const id = ID.exec(line)?.[1] ?? '';
  answer(waiting.get(id), '200 OK', line);
  waiting.delete(id);
});

createServer({ noDelay: true }, (socket) => {
  let held = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (text: string) => {
    held += text;
    const head = held.indexOf('\r\n\r\n') + 4;
    const length = Number(/content-length: *(\d+)/i.exec(held)?.[1]);
    if (head < 4 || held.length < head + length) return;
    const body = held.slice(head, head + length);
    held = held.slice(head + length);
    pass(socket, body);
  });
}).listen(Number(port), '127.0.0.1');

process.once('SIGTERM', () => {
  child.kill();
  process.exit();
});
