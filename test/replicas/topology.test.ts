import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { checkTopology } from '../support/topology-check.js';
import { startTopology } from '../support/topology.js';

test('F13: behind the published nginx configuration a rolling restart drops no call of either era', async () => {
  const program = ['--import', 'tsx', join(ROOT, 'src', 'cli', 'index.ts')];
  const topology = await startTopology({ replicas: 2, program });
  try {
    const { calls, failures } = await checkTopology(topology);
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(20);
  } finally {
    await topology.close();
  }
}, 150_000);
