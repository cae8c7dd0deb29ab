/** Tries the way to an upstream step by step, and says what is wrong and how to mend it. */
export { adviceForOffer } from './advice.js';
export { checkAddress } from './check-address.js';
export { checkConnection, tryConnection } from './check-connection.js';
export { checkServer } from './check-server.js';
export { explainCalls, type RecentCall } from './explain-calls.js';
export { explainSyncFailure, type SyncFailure } from './explain-sync.js';
export { failed, ok, skipped, type Step } from './step.js';
