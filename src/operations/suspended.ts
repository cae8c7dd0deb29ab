import type { JsonObject } from '../mcp/jsonrpc/index.js';
import type { InputRequest, InputRequests, InputResponses } from '../mcp/model/index.js';
import type { AskProfile } from '../upstreams/index.js';

/** Thrown where the client has to call again with answers. It is no error: nothing has failed. */
export class Suspended {
  readonly requests: InputRequests;
  /** Comes back with the answers, unaltered. */
  readonly state: JsonObject;
  constructor(requests: InputRequests, state: JsonObject) {
    this.requests = requests;
    this.state = state;
  }
}

/** How a client takes part that cannot be asked while its call runs: it calls again with the answers. */
export interface Rounds {
  /** What it can be asked. */
  readonly asks: AskProfile;
  /** Whether it can be asked this very question. */
  readonly accepts: (question: InputRequest) => boolean;
  readonly responses: InputResponses;
  /** What the last `Suspended` of this very call held; undefined with the first round. */
  readonly state: JsonObject | undefined;
}
