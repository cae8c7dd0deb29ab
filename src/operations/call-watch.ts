import type { Connector } from '../connectors/index.js';
import type { CallStage } from '../contract/index.js';
import type { Decision } from '../governance/index.js';

/** What an upstream is asked. */
export interface OutgoingRequest {
  readonly connector: Connector;
  readonly method: string;
  /** The upstream's own name of the tool or prompt, or the address of the resource. */
  readonly target: string;
}

/**
 * Hears how a call goes on. Only calls that somebody looks at have one: where there is none, nothing is measured. Each
 * stage lasts until the next begins, so that the time of a call that fails is that of the stage it failed in.
 */
export interface CallWatch {
  /** `request` is what the stage `upstream` sends. */
  begins(stage: CallStage, request?: OutgoingRequest): void;
  decided(decision: Decision): void;
  /**
   * The stage under way ends badly: with the code of an error, or the word for a result that reports one. `answered` is the
   * code that the upstream's own error has.
   */
  failed(code: string, answered?: number): void;
}
