import type { BenchSettings } from './measure-calls.js';
import { interleave, median } from './statistics.js';
import { startWorker } from './worker.js';

export interface DecodingFigures {
  readonly events: string;
  readonly decoder: string;
  /** Million bytes for each second of CPU time. */
  readonly megabytesPerSecond: number;
}

const EVENTS: readonly (readonly [name: string, bytes: number])[] = [
  ['100 B', 100],
  ['2 kB', 2000],
  ['1 MiB', 1024 * 1024],
];
const DECODERS = ['crosspoint', 'eventsource-parser'] as const;

/** Decoders of event streams in one process, so that they share whatever the machine is doing. */
export async function measureDecoding(settings: BenchSettings): Promise<readonly DecodingFigures[]> {
  const { bench, cores, rounds, ms, say } = settings;
  say('decoders');
  const worker = await startWorker({ file: bench.worker('decoders'), core: cores?.subject });
  try {
    const entries = EVENTS.flatMap(([events, eventBytes]) =>
      DECODERS.map((decoder) => ({ events, eventBytes, decoder, measured: [] as number[] })),
    );
    const decode = async ({ decoder, eventBytes }: (typeof entries)[number]): Promise<number> => {
      const order = { decoder, eventBytes, ms: ms * 0.2 };
      const round = (await worker.order('decode', order)) as { bytes: number; cpuMicros: number };
      return round.bytes / round.cpuMicros;
    };
    for (const entry of entries) await decode(entry);
    for (const entry of interleave(entries, rounds)) entry.measured.push(await decode(entry));
    return entries.map(({ events, decoder, measured }) => ({
      events,
      decoder,
      megabytesPerSecond: median(measured),
    }));
  } finally {
    await worker.close();
  }
}
