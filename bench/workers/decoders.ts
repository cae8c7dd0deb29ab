/** Both decoders of event streams on the same bytes, in the pieces in which sockets deliver them. */
import { createParser } from 'eventsource-parser';
import { SseDecoder } from '../../src/mcp/sse/index.js';
import { cpuMicros, takeOrders } from './orders.js';

interface DecodeOrder {
  readonly decoder: 'crosspoint' | 'eventsource-parser';
  /** Bytes of data of one event. */
  readonly eventBytes: number;
  readonly ms: number;
}

const PIECE_BYTES = 16 * 1024;
const STREAM_BYTES = 4 * 1024 * 1024;
const MAX_DATA_BYTES = 8 * 1024 * 1024;

interface Stream {
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  readonly events: number;
}

function createStream(eventBytes: number): Stream {
  const frame = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"text":""}}';
  const data = `${frame.slice(0, -3)}${'x'.repeat(Math.max(eventBytes - frame.length, 0))}"}}`;
  const event = `event: message\nid: 1234-567\ndata: ${data}\n\n`;
  const events = Math.max(1, Math.floor(STREAM_BYTES / event.length));
  const whole = Buffer.from(event.repeat(events));
  const pieces = Array.from({ length: Math.ceil(whole.length / PIECE_BYTES) }, (_, i) =>
    Buffer.from(whole.subarray(i * PIECE_BYTES, (i + 1) * PIECE_BYTES)),
  );
  return { pieces, bytes: whole.length, events };
}

/** Returns how many events were found. */
const DECODERS = {
  crosspoint(pieces: readonly Buffer[]): number {
    let events = 0;
    const onEvent = (): void => void events++;
    const decoder = new SseDecoder({ maxDataBytes: MAX_DATA_BYTES, onEvent });
    for (const piece of pieces) decoder.push(piece);
    decoder.finish();
    return events;
  },
  'eventsource-parser'(pieces: readonly Buffer[]): number {
    let events = 0;
    const onEvent = (): void => void events++;
    // It takes text, so whoever has bytes needs this in front of it.
    const text = new TextDecoder();
    const parser = createParser({ onEvent });
    for (const piece of pieces) parser.feed(text.decode(piece, { stream: true }));
    return events;
  },
};

const streams = new Map<number, Stream>();

function decode({ decoder, eventBytes, ms }: DecodeOrder): { bytes: number; cpuMicros: number } {
  const stream = streams.get(eventBytes) ?? createStream(eventBytes);
  streams.set(eventBytes, stream);
  let bytes = 0;
  const cpuBefore = cpuMicros();
  const end = cpuBefore + ms * 1000;
  while (cpuMicros() < end) {
    const found = DECODERS[decoder](stream.pieces);
    if (found !== stream.events) throw new Error(`${decoder} found ${found} of ${stream.events} events`);
    bytes += stream.bytes;
  }
  return { bytes, cpuMicros: cpuMicros() - cpuBefore };
}

takeOrders(undefined, { decode });
