import { createHmac } from 'node:crypto';
import { stringifyJson, type JsonObject } from '../mcp/jsonrpc/index.js';
import type { RecordedArguments } from './events.js';

export type ArgumentsRecorder = (args: JsonObject | undefined) => RecordedArguments;

/** `off`: size only. `hashed`: equal arguments can be recognised, not read. `encrypted`: whoever has the master key can read them. */
export function createArgumentsRecorder(
  mode: 'off' | 'hashed' | 'encrypted',
  { hashKey, seal }: { readonly hashKey: Buffer; readonly seal: (text: string) => string },
): ArgumentsRecorder {
  return (args) => {
    const text = args === undefined ? '' : stringifyJson(args);
    const bytes = Buffer.byteLength(text);
    if (mode === 'off') return { bytes };
    if (mode === 'encrypted') return { bytes, sealed: seal(text) };
    return { bytes, hash: createHmac('sha256', hashKey).update(text).digest('base64url') };
  };
}
