import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { StdioTransport, TransportError, type StdioOptions } from '../../../src/mcp/transports/index.js';
import { Recorder } from './recorder.js';

export function peerScript(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

export interface Peer {
  readonly transport: StdioTransport;
  readonly heard: Recorder;
  call(id: number, method: string, params?: object): Promise<void>;
}

const opened = new Set<Peer>();

/** Starts one of the scripts in this folder, with an impatient shutdown. */
export async function openPeer(args: readonly string[], options: Partial<StdioOptions> = {}): Promise<Peer> {
  const [script = '', ...rest] = args;
  const transport = new StdioTransport({
    command: process.execPath,
    args: [peerScript(script), ...rest],
    shutdown: { stdinMs: 300, termMs: 300 },
    ...options,
  });
  const heard = new Recorder();
  const peer: Peer = {
    transport,
    heard,
    call: (id, method, params = {}) =>
      transport.send({ id, method, text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }),
  };
  opened.add(peer);
  await transport.start(heard);
  return peer;
}

/** For `afterEach`: whatever a failed test left running. */
export async function closePeers(): Promise<void> {
  await Promise.all([...opened].map((peer) => peer.transport.close()));
  opened.clear();
}

/** The error a promise rejects with. */
export async function faultOf(settling: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await settling.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) throw new Error('no fault');
  return error;
}

interface State {
  readonly pid: number;
  readonly parent: number;
  readonly zombie: boolean;
}

function stateOf(pid: number | string): State | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), zombie: state === 'Z' };
  } catch {
    return undefined;
  }
}

/** Whether it runs. A dead process whose new parent has not looked yet does not. */
export function isRunning(pid: number): boolean {
  return stateOf(pid)?.zombie === false;
}

/** Our children, dead ones that were not reaped included. */
export function childrenOfThisProcess(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(stateOf)
    .filter((state) => state?.parent === process.pid)
    .map((state) => state!.pid);
}
