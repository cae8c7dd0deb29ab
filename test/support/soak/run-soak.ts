import { createRandom } from '../bridge/crowd.js';
import { CallBook } from './call-book.js';
import { collectGarbage } from './garbage.js';
import { readGauges, type Gauges } from './gauges.js';
import type { SoakReport } from './judge-soak.js';
import { SoakVisits } from './soak-visits.js';
import { startSoakWorld, type SoakWorld } from './soak-world.js';

export interface SoakOptions {
  readonly folder: string;
  /** Of load; quiet moments are not counted. */
  readonly seconds: number;
  /** Calls per second. */
  readonly rate: number;
  readonly agents: number;
  readonly idleStopMs: number;
  /** From one quiet moment to the next. */
  readonly sampleSeconds: number;
  /** How long the hub gets to become quiet. */
  readonly quietMs: number;
  /** So many processes may run in a quiet moment. */
  readonly children: number;
  readonly seed: number;
  readonly program?: readonly string[];
  readonly onSample?: (gauges: Gauges, made: number) => void;
}

const TICK_MS = 20;
/** Beyond this the hub, or this process, does not keep up, and no more is begun. */
const MOST_UNDER_WAY = 400;

/** Drives a hub at a steady rate; now and then everything ends, and what is left is measured. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const book = new CallBook();
  const world = await startSoakWorld({ ...options, book });
  const visits = new SoakVisits({ world, book, random: createRandom(options.seed) });
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const samples: Gauges[] = [];
  const sample = async (): Promise<void> => {
    await visits.close();
    await becomesQuiet(world, visits, options);
    await collectGarbage(world.hub.log);
    const gauges = await readGauges(world.hub, seconds());
    world.readLedgers();
    samples.push(gauges);
    options.onSample?.(gauges, book.made);
  };
  try {
    await toolsAreThere(world);
    await visits.all();
    await sample();
    for (let left = options.seconds; left > 0; left -= options.sampleSeconds) {
      await drive(visits, book, options.rate, Math.min(left, options.sampleSeconds));
      await sample();
    }
    const { abandoned, unheard } = visits;
    return {
      counts: book.counts(),
      abandoned,
      unheard,
      samples,
      seconds: seconds(),
      examples: book.examples,
    };
  } catch (error) {
    throw new Error(`the soak broke off; the hub's last words:\n${world.hub.log.slice(-40).join('\n')}`, {
      cause: error,
    });
  } finally {
    await visits.close();
    await world.close();
  }
}

/** Begins visits so that there are this many calls a second, and waits for the end of the last one. */
async function drive(visits: SoakVisits, book: CallBook, rate: number, seconds: number): Promise<void> {
  const before = book.made;
  const startedAt = performance.now();
  const underWay = new Set<Promise<void>>();
  for (let passed = 0; passed < seconds; passed = (performance.now() - startedAt) / 1_000) {
    // A visit may be more than one call; they are counted as they are made.
    const due = Math.min(passed * rate - (book.made - before), rate / 10);
    for (let n = 0; n < due && underWay.size < MOST_UNDER_WAY; n++) {
      const visit = visits.any().finally(() => underWay.delete(visit));
      underWay.add(visit);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(underWay);
}

/** Waits until nothing is parked and no more than these processes are left, or the time is over. */
async function becomesQuiet(
  { hub }: SoakWorld,
  visits: SoakVisits,
  { quietMs, children: most }: Pick<SoakOptions, 'quietMs' | 'children'>,
): Promise<void> {
  const deadline = performance.now() + quietMs;
  while (performance.now() < deadline) {
    const { parked, children } = await readGauges(hub, 0);
    if (parked <= visits.unheard && children <= most) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function toolsAreThere({ hub, connectors }: SoakWorld): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (const connector of connectors) {
    for (;;) {
      const answer = await fetch(`${hub.url}/api/v1/connectors/${connector}`, {
        headers: { authorization: `Bearer ${hub.adminToken}` },
        signal: AbortSignal.timeout(20_000),
      });
      const text = await answer.text();
      if (/"(?:tools|toolCount)":[1-9]/.test(text)) break;
      if (performance.now() > deadline) throw new Error(`${connector} has no tools: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
