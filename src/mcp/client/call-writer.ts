import { writeRequest, type JsonObject } from '../jsonrpc/index.js';
import { supportsTasks, TASKS_EXTENSION, type ClientCapabilities, type LogLevel } from '../model/index.js';
import {
  envelopeKeys,
  hasLegacyTasks,
  isLegacyRevision,
  metaOf,
  progressMember,
  routingHeaders,
  traceHeaders,
} from '../wire/index.js';
import type { Call } from './call.js';
import type { Connection } from './connection.js';
import type { Peer } from './peer.js';
import type { Settings } from './settings.js';
import type { ToolHeaders } from './tool-headers.js';

export interface CallWriterParts {
  readonly settings: Settings;
  readonly toolHeaders: ToolHeaders;
}

/** Puts calls on the wire, each in the form of the era and revision of its peer. */
export class CallWriter {
  readonly #parts: CallWriterParts;
  /** For modern requests that name no level themselves. */
  logLevel: LogLevel | undefined;

  constructor(parts: CallWriterParts) {
    this.#parts = parts;
  }

  /** With the body that the call has by now. */
  send(call: Call, { peer, conversation, transport }: Connection): void {
    const { options } = call;
    const id = conversation.takeId();
    options.onSent?.({ id, revision: peer.revision });
    if (peer.era === 'legacy') {
      const trace = transport.carriesHeaders ? traceHeaders(options.meta) : undefined;
      call.asksForTask = asksForTask(call, peer);
      conversation.send(call, id, writeLegacy(call, id), trace);
    } else {
      const params = this.#modernParams(call, peer, id);
      const headers = transport.carriesHeaders ? this.#headers(call, peer, params) : undefined;
      conversation.send(call, id, writeRequest(id, call.method, params), headers);
    }
  }

  capabilitiesOf(call: Call): ClientCapabilities {
    return call.options.capabilities ?? this.#parts.settings.requestCapabilities;
  }

  /** What a modern peer is told that we can do. Tasks are ours to follow, whatever the caller of a tool can do. */
  declared(call: Call, peer: Peer): ClientCapabilities {
    const capabilities = this.capabilitiesOf(call);
    const { method } = call;
    if (!this.#parts.settings.tasks || (method !== 'tools/call' && !isAboutTasks(call))) return capabilities;
    if (call.options.withoutTasks === true || !supportsTasks(peer.capabilities)) return capabilities;
    return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } };
  }

  #modernParams(call: Call, peer: Peer, id: number): JsonObject {
    const { options } = call;
    const keys = envelopeKeys({
      revision: peer.revision,
      capabilities: this.declared(call, peer),
      info: this.#parts.settings.info,
      logLevel: options.logLevel ?? this.logLevel,
    });
    const token = call.wantsProgress && { progressToken: id };
    return { ...call.body, _meta: { ...metaOf(call.body), ...options.meta, ...keys, ...token } };
  }

  #headers(call: Call, peer: Peer, params: JsonObject): Readonly<Record<string, string>> {
    const headers = routingHeaders(peer.revision, call.method, params);
    const trace = traceHeaders(call.options.meta);
    if (trace !== undefined) Object.assign(headers, trace);
    return call.method === 'tools/call' ? this.#parts.toolHeaders.addTo(headers, params) : headers;
  }
}

function writeLegacy(call: Call, id: number): string {
  const { method, wantsProgress, options } = call;
  const { meta, asTask } = options;
  const body: JsonObject | undefined = call.asksForTask
    ? { ...call.body, task: asTask?.ttlMs === undefined ? {} : { ttl: asTask.ttlMs } }
    : call.body;
  if (meta === undefined && (!wantsProgress || body?.['_meta'] === undefined))
    return writeRequest(id, method, body, wantsProgress ? progressMember(id) : undefined);
  const token = wantsProgress && { progressToken: id };
  return writeRequest(id, method, { ...body, _meta: { ...metaOf(call.body), ...meta, ...token } });
}

function isAboutTasks(call: Call): boolean {
  return call.method.startsWith('tasks/') || call.listener !== undefined;
}

function asksForTask({ method, options }: Call, { revision, capabilities }: Peer): boolean {
  return (
    options.asTask !== undefined &&
    method === 'tools/call' &&
    isLegacyRevision(revision) &&
    hasLegacyTasks(revision) &&
    supportsTasks(capabilities)
  );
}
