import { readdirSync, readFileSync } from 'node:fs';
import type { HubProcess } from '../hub-process.js';

/** What a hub holds at one moment. */
export interface Gauges {
  /** Seconds since the start. */
  readonly at: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly descriptors: number;
  readonly children: number;
  readonly sessions: number;
  readonly parked: number;
}

export async function readGauges({ url, adminToken, pid }: HubProcess, at: number): Promise<Gauges> {
  const answer = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  return {
    at,
    rssBytes: valueOf(text, 'process_resident_memory_bytes'),
    heapBytes: valueOf(text, 'nodejs_heap_used_bytes'),
    sessions: valueOf(text, 'crosspoint_sessions'),
    parked: valueOf(text, 'crosspoint_parked_calls'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    children: countChildren(pid),
  };
}

function valueOf(text: string, metric: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${metric} `));
  if (line === undefined) throw new Error(`the hub does not tell ${metric}`);
  return Number(line.slice(metric.length + 1));
}

function countChildren(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim())
    .flatMap((line) => (line === '' ? [] : line.split(' '))).length;
}
