import { once } from 'node:events';
import { checkTopology } from '../test/support/topology-check.js';
import { startTopology } from '../test/support/topology.js';

/**
 * Runs what `deploy/compose` describes as processes of this machine, checks it, and stops. Needs the built program.
 * Usage: npm run build && npm run topology [-- --stay]
 */

const topology = await startTopology({ replicas: 3 });
try {
  console.log(`balancer ${topology.url}, replicas ${topology.replicas.map(({ url }) => url).join(' ')}`);
  const { calls, failures } = await checkTopology(topology);
  console.log(`${calls} calls while each replica was stopped and started again: ${failures.length} failed`);
  for (const failure of failures.slice(0, 10)) console.log(failure);
  if (process.argv.includes('--stay')) {
    console.log(`key ${topology.key}\nadmin token ${topology.adminToken}\nCtrl-C ends it`);
    await once(process, 'SIGINT');
  }
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  await topology.close();
}
