import type { ConnectorAddition } from '../../../src/contract/index.js';
import { toId } from './connector-draft.js';

/** One server of a pasted `mcpServers` document. */
export type PastedServer =
  | { readonly kind: 'remote'; readonly name: string; readonly addition: ConnectorAddition }
  | { readonly kind: 'command'; readonly name: string; readonly line: string }
  | { readonly kind: 'unreadable'; readonly name: string; readonly reason: string };

export type Pasted = { readonly servers: readonly PastedServer[] } | { readonly problem: string };

type Members = Readonly<Record<string, unknown>>;

const MOST = 200;

/** Reads what Claude, Cursor, VS Code and others keep: `mcpServers`, `servers`, or the servers themselves. */
export function readPasted(text: string): Pasted {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (!isMembers(document)) return { problem: 'A JSON object is needed: { "mcpServers": { … } }' };
  const inner = [document['mcpServers'], document['servers'], document['context_servers']].find(isMembers);
  const servers = inner ?? (isServer(document) ? { server: document } : document);
  const names = Object.keys(servers);
  if (names.length === 0) return { problem: 'There is no server in it.' };
  if (names.length > MOST)
    return { problem: `These are more than ${MOST} servers. Use: crosspoint import FILE` };
  return { servers: names.map((name) => readServer(name, servers[name])) };
}

function readServer(name: string, server: unknown): PastedServer {
  if (!isMembers(server)) return { kind: 'unreadable', name, reason: 'is not an object' };
  const url = [server['url'], server['serverUrl'], server['httpUrl']].find(
    (value) => typeof value === 'string',
  );
  const { command, args } = server;
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(args) ? args.map(String) : [])];
    return { kind: 'command', name, line: words.join(' ') };
  }
  if (typeof url !== 'string')
    return { kind: 'unreadable', name, reason: 'has neither an address nor a command' };
  const id = toId(name);
  if (id === '') return { kind: 'unreadable', name, reason: 'has a name of which no id can be made' };
  return { kind: 'remote', name, addition: { id, name, url, ...transportOf(server), ...authOf(server) } };
}

function transportOf({ type, transport }: Members): Partial<ConnectorAddition> {
  return [type, transport].includes('sse') ? { transport: 'sse' } : {};
}

function authOf({ headers }: Members): Partial<ConnectorAddition> {
  if (!isMembers(headers)) return {};
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  if (given.length === 0) return {};
  const [only] = given;
  const token =
    only?.[0].toLowerCase() === 'authorization' ? /^bearer\s+(.+)$/i.exec(only[1])?.[1] : undefined;
  if (given.length === 1 && token !== undefined)
    return { auth: { type: 'bearer', token }, credentialMode: 'shared' };
  return { auth: { type: 'header', headers: Object.fromEntries(given) }, credentialMode: 'shared' };
}

function isServer(members: Members): boolean {
  return ['url', 'serverUrl', 'httpUrl', 'command'].some((key) => typeof members[key] === 'string');
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
