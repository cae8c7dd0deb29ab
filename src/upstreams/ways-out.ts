import type { Dispatcher } from 'undici';
import type { Connector } from '../connectors/index.js';
import { once } from '../kernel/index.js';
import type { HttpLines } from '../mcp/transports/index.js';
import { createEgress, createPlainEgress } from './egress.js';

/** The ways out to one server. */
export interface WaysOut {
  /** For whatever is no message of the protocol. */
  readonly dispatcher: Dispatcher;
  readonly lines: HttpLines;
  close(): Promise<void>;
}

/** Undefined for a connector that is a process. */
export function openWaysOut({ endpoint, allowPrivateNetwork, timeouts }: Connector): WaysOut | undefined {
  if (endpoint.transport === 'stdio') return undefined;
  const url = new URL(endpoint.url);
  const rule = { privateOrigin: allowPrivateNetwork ? url : undefined, connectMs: timeouts.connectMs };
  if (url.protocol === 'https:') {
    const dispatcher = createEgress(rule);
    return { dispatcher, lines: dispatcher, close: once(() => dispatcher.close()) };
  }
  let opened: Dispatcher | undefined;
  const lines = createPlainEgress(url, rule);
  return {
    get dispatcher() {
      return (opened ??= createEgress(rule));
    },
    lines,
    close: once(async () => void (await Promise.all([lines.close(), opened?.close()]))),
  };
}
