import type { FuzzTarget } from './target.js';
import { HEADER_CODEC } from './targets/header-codec.js';
import { INBOUND } from './targets/inbound.js';
import { JSON_TARGET } from './targets/json.js';
import { PARAM_HEADERS } from './targets/param-headers.js';
import { RESULTS } from './targets/results.js';
import { SSE } from './targets/sse.js';
import { STATE_SEAL } from './targets/state-seal.js';

/** Everything that reads what others wrote. */
export const TARGETS: readonly FuzzTarget[] = [
  SSE,
  JSON_TARGET,
  HEADER_CODEC,
  PARAM_HEADERS,
  INBOUND,
  RESULTS,
  STATE_SEAL,
];
