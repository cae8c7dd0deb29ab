import type { CallStage } from '../contract/index.js';
import type { Decision } from '../governance/index.js';

/**
 * Hears how a call goes on. Only calls that somebody looks at have one: where there is none, nothing is measured. Each
 * stage lasts until the next begins, so that the time of a call that fails is that of the stage it failed in.
 */
export interface CallWatch {
  begins(stage: CallStage): void;
  decided(decision: Decision): void;
}
