import { expect, test } from 'vitest';
import { HUB_PROGRAM } from '../support/hub-program.js';
import { checkTopology } from '../support/topology-check.js';
import { startTopology } from '../support/topology.js';

test('F13: behind the published nginx configuration a rolling restart drops no call of either era', async () => {
  const topology = await startTopology({ replicas: 2, program: HUB_PROGRAM });
  try {
    const { calls, failures } = await checkTopology(topology);
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(20);
  } finally {
    await topology.close();
  }
}, 150_000);
