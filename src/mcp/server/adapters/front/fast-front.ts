import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { monotonic } from '../../monotonic.js';
import { AnswerTexts } from './answer-text.js';
import { AnswerTurn } from './answer-turn.js';
import { FrontConnection, type FrontHost, type FrontLimits, type FrontTarget } from './front-connection.js';

const CHECK_MS = 1_000;

/**
 * Serves the requests every client sends, `POST` with a length, `GET` and `DELETE` without a body, straight from the socket,
 * because the layers of `node:http` cost more than a whole call, and more memory than all else of an open stream. Whatever is not exactly that goes to the server's own parser with all its
 * bytes, also in the middle of a connection: unusual and malformed input is judged by that alone.
 */
export function attachFastFront(
  server: Server,
  find: (path: string) => FrontTarget | undefined,
  limits: FrontLimits,
): void {
  const [parse] = server.listeners('connection');
  if (parse === undefined) throw new TypeError('the server does not serve connections');
  const connections = new Set<FrontConnection>();
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    const now = monotonic();
    const overdue = [...connections].filter((connection) => connection.isOverdue(now));
    // If it was this process that could not run, what they sent meanwhile is read first.
    if (overdue.length > 0) setImmediate(expireThose, overdue);
    if (connections.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const host: FrontHost = {
    texts: new AnswerTexts(limits.announcedMs),
    turn: new AnswerTurn(),
    limits,
    // The last request of a connection is not an ordinary one: its answer says that it is the last.
    find: (path) => (server.listening ? find(path) : undefined),
    pass: (socket) => void Reflect.apply(parse, server, [socket]),
    gone: (connection) => void connections.delete(connection),
  };
  server.removeListener('connection', parse as (socket: Socket) => void);
  server.prependListener('connection', (socket: Socket) => {
    if (socket.destroyed) return;
    connections.add(new FrontConnection(host, socket));
    timer ??= setInterval(check, CHECK_MS).unref();
  });
  closeWith(server, connections);
}

/** Ends those that are overdue still. */
function expireThose(connections: readonly FrontConnection[]): void {
  const now = monotonic();
  for (const connection of connections) if (connection.isOverdue(now)) connection.expire();
}

/** Whoever closes the connections of the server closes these too. */
function closeWith(server: Server, connections: ReadonlySet<FrontConnection>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const connection of connections) if (connection.isIdle) connection.socket.destroy();
  };
  server.closeAllConnections = () => {
    closeAll();
    for (const connection of connections) connection.socket.destroy();
  };
}
