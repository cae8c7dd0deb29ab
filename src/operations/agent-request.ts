import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { CallId } from '../kernel/index.js';
import type { AskProfile, UpstreamOptions } from '../upstreams/index.js';
import type { CallWatch } from './call-watch.js';
import type { Rounds } from './suspended.js';

/** Who asks for something, where, and what they can be asked in turn. */
export interface AgentRequest {
  readonly agent: Agent;
  readonly scope: SurfaceScope;
  /** The caller's conversation with us, where it has one. */
  readonly session?: string | undefined;
  /** What can be asked of the caller, in whichever way; undefined: nothing. */
  readonly asks?: AskProfile | undefined;
  /** Whoever looks at how it goes on. */
  readonly watch?: CallWatch | undefined;
}

/** The same for what an upstream is asked to do: a tool to call, a prompt to get, a resource to read. */
export interface UpstreamRequest extends AgentRequest {
  readonly callId: CallId;
  readonly options: UpstreamOptions;
  /** For callers that answer questions by calling again. Others are asked with `options.ask`, or not at all. */
  readonly rounds?: Rounds | undefined;
}
