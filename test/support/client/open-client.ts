import { afterEach, expect } from 'vitest';
import {
  connect,
  type ClientOptions,
  type ClientWarning,
  type McpClient,
} from '../../../src/mcp/client/index.js';
import { ManualClock } from './manual-clock.js';
import { legacyScript, modernScript, ScriptedTransport, type Script } from './scripted-transport.js';
import type { JsonObject } from '../../../src/mcp/jsonrpc/index.js';

export const info = { name: 'tester', version: '1' };

const opened: McpClient[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

export interface Opened {
  readonly client: McpClient;
  /** All transports made so far; the last one is in use. */
  readonly transports: readonly ScriptedTransport[];
  readonly wire: ScriptedTransport;
  readonly clock: ManualClock;
  readonly warnings: readonly ClientWarning[];
}

/** Connects to scripted servers, one script for each transport that is opened; the last one serves all that follow. */
export async function openClient(
  kind: 'http' | 'stdio',
  scripts: readonly Script[],
  options: Partial<ClientOptions> & { readonly clock?: ManualClock } = {},
): Promise<Opened> {
  const transports: ScriptedTransport[] = [];
  const warnings: ClientWarning[] = [];
  const clock = options.clock ?? new ManualClock();
  const transport = (): ScriptedTransport => {
    const made = new ScriptedTransport(kind, scripts[Math.min(transports.length, scripts.length - 1)]!);
    transports.push(made);
    return made;
  };
  const client = await connect({
    info,
    random: () => 1,
    onWarning: (warning) => warnings.push(warning),
    ...options,
    clock,
    transport,
  });
  opened.push(client);
  return { client, transports, wire: transports.at(-1)!, clock, warnings };
}

export async function openLegacy(
  capabilities: JsonObject,
  script: Script,
  options: Partial<ClientOptions> = {},
  kind: 'http' | 'stdio' = 'http',
) {
  return await openClient(kind, [legacyScript(capabilities, script)], { era: 'legacy', ...options } as never);
}

export async function openModern(
  capabilities: JsonObject,
  script: Script,
  options: Partial<ClientOptions> = {},
  kind: 'http' | 'stdio' = 'http',
) {
  return await openClient(kind, [modernScript(capabilities, script)], { era: 'modern', ...options } as never);
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );
}
