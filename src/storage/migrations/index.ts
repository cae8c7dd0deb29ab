import { initial } from './0001-initial.js';
import { accounts } from './0002-accounts.js';
import { eventTools } from './0003-event-tools.js';
import { policyHistory } from './0004-policy-history.js';
import { tasks } from './0005-tasks.js';
import { eventBlocks } from './0006-event-blocks.js';
import type { Migration } from './migration.js';

/** Forward only, in order, numbered without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  initial,
  accounts,
  eventTools,
  policyHistory,
  tasks,
  eventBlocks,
];
