import { expect, test } from 'vitest';
import { turnsDuring } from '../../../../test/support/turns-during.js';
import type { EventStream } from './event-stream.js';
import { ListeningStreams } from './listening-streams.js';

const STREAMS = 2_000;

/** As far as it matters who may listen. */
class Stream {
  open = true;

  end(): void {
    this.open = false;
  }
}

function openStreams(): { readonly streams: readonly Stream[]; readonly listening: ListeningStreams } {
  const listening = new ListeningStreams();
  const streams = Array.from({ length: STREAMS }, () => new Stream());
  for (const [index, stream] of streams.entries())
    listening.add(stream as unknown as EventStream, `agent ${index % 2}`, {});
  return { streams, listening };
}

test('all who may not listen any more are ended, and nobody else', async () => {
  const { streams, listening } = openStreams();
  await listening.review(async (principal) => principal === 'agent 0');
  expect(streams.filter(({ open }, index) => open !== (index % 2 === 0))).toEqual([]);
});

test('what is looked up for one is known for those that follow, and others have their turn meanwhile', async () => {
  const { listening } = openStreams();
  const known = new Set<string>();
  let lookedUp = 0;
  const mayListen = async (principal: string): Promise<boolean> => {
    if (known.has(principal)) return true;
    lookedUp++;
    await Promise.resolve();
    known.add(principal);
    return true;
  };
  const { turns } = await turnsDuring(() => listening.review(mayListen));
  expect(lookedUp).toBeLessThan(STREAMS / 10);
  expect(turns).toBeGreaterThan(10);
});
