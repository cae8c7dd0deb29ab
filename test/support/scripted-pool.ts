import type { Access } from '../../src/credentials/index.js';
import type { Connector } from '../../src/connectors/index.js';
import { HubError } from '../../src/kernel/index.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import type { CallResult, Tool } from '../../src/mcp/model/index.js';
import type { UpstreamOptions, Upstreams } from '../../src/upstreams/index.js';

/** How one upstream behaves. */
export interface UpstreamScript {
  tools?: readonly Tool[];
  /** Throw to refuse. */
  open?: (access: Access) => void | Promise<void>;
  list?: () => void | Promise<void>;
  call?: (
    name: string,
    args: JsonObject | undefined,
    options: UpstreamOptions,
  ) => CallResult | Promise<CallResult>;
}

export interface ScriptedUpstreams extends Upstreams {
  script(connector: string, behaviour: UpstreamScript): void;
  readonly calls: {
    readonly connector: string;
    readonly tool: string;
    readonly args: JsonObject | undefined;
    readonly access: Access;
  }[];
  readonly retired: string[];
  readonly dropped: string[];
}

/** Upstreams that do what a test says, without a network. One without a script cannot be reached. */
export function createScriptedUpstreams(): ScriptedUpstreams {
  const scripts = new Map<string, UpstreamScript>();
  const calls: ScriptedUpstreams['calls'] = [];
  const retired: string[] = [];
  const dropped: string[] = [];

  function requireScript({ id }: Connector): UpstreamScript {
    const found = scripts.get(id);
    if (found === undefined) throw new HubError('upstream_unavailable', `connector ${id} cannot be reached`);
    return found;
  }

  return {
    script: (connector, behaviour) => scripts.set(connector, behaviour),
    calls,
    retired,
    dropped,
    requireRoom() {},
    async open(connector, access) {
      const behaviour = requireScript(connector);
      await behaviour.open?.(access);
      return {
        upstream: toUpstream(connector, access, behaviour, calls),
        rest: (work) => work(),
        release: () => {},
      };
    },
    watch: async () => () => {},
    owners: () => new Set(),
    endAllOf() {},
    retire(connector) {
      retired.push(connector);
    },
    async drop(connector) {
      dropped.push(connector);
    },
    async probe(connector) {
      requireScript(connector);
    },
    stateOf: () => ({
      breaker: 'closed',
      failures: 0,
      retryAfterMs: 0,
      running: 0,
      waiting: 0,
      conversations: 0,
    }),
    recentStderr: () => [],
    async close() {},
  };
}

function toUpstream(
  connector: Connector,
  access: Access,
  behaviour: UpstreamScript,
  calls: ScriptedUpstreams['calls'],
) {
  const unused = async (): Promise<JsonObject> => ({});
  return {
    identity: {
      info: { name: 'scripted', version: '1.0.0' },
      era: 'legacy',
      revision: '2025-06-18',
      capabilities: {},
      instructions: undefined,
    },
    async callTool(
      tool: string,
      args: JsonObject | undefined,
      options: UpstreamOptions,
    ): Promise<CallResult> {
      calls.push({ connector: connector.id, tool, args, access });
      return behaviour.call === undefined
        ? { content: [{ type: 'text', text: `${tool} was called` }] }
        : behaviour.call(tool, args, options);
    },
    startTool: async () => ({ result: { content: [] } }),
    onVisited: () => () => {},
    followTask: () => {
      throw new HubError('not_found', 'Unknown task');
    },
    getPrompt: unused,
    readResource: unused,
    round: async () => ({ result: {} }),
    complete: unused,
    request: unused,
    async listOffers() {
      await behaviour.list?.();
      return {
        tools: behaviour.tools ?? [],
        prompts: [],
        resources: [],
        templates: [],
        rejected: [],
        refused: [],
      };
    },
  };
}

export function refuseAnonymous(access: Access): void {
  if (access.owner === 'anonymous')
    throw new HubError('credential_required', 'the upstream wants to know who asks');
}
