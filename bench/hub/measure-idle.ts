import { IDLE_MS, settle } from '../settle.js';
import { collectGarbage } from './collect-garbage.js';
import { openSession } from './one-request.js';
import { AGENTS, headersOf, startHub, type Surroundings } from './targets.js';

export interface IdleFigures {
  readonly rssMegabytes: number;
  readonly sessions: number;
  readonly kilobytesPerSession: number;
}

const SESSIONS = 1_000;
const FIRST_SESSIONS = 200;

/**
 * What a fresh hub holds, and how much each session that does nothing adds. Sessions are opened by requests, whose garbage
 * and whose connections are many times what stays of them, so it is collected before and after.
 */
export async function measureIdle(around: Surroundings): Promise<IdleFigures> {
  const { program, url } = await startHub(around);
  const held = async (): Promise<number> => {
    await collectGarbage(program);
    await settle();
    return program.usage().rssBytes;
  };
  const [, ...agents] = AGENTS;
  const open = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await openSession(url, headersOf(agents[i % agents.length] ?? ''));
  };
  await settle(IDLE_MS);
  const fresh = program.usage().rssBytes;
  // The first ones load code and fill caches that all share.
  await open(FIRST_SESSIONS);
  const before = await held();
  await open(SESSIONS);
  const added = Math.max(0, (await held()) - before);
  await program.close();
  return {
    rssMegabytes: fresh / 1e6,
    sessions: SESSIONS,
    kilobytesPerSession: added / SESSIONS / 1e3,
  };
}
