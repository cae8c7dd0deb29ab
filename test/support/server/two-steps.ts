import type { Handler } from '../../../src/mcp/server/index.js';
import type { EventReader } from './event-reader.js';
import type { Gate } from './harness.js';

/** A handler that tells of progress 1, waits, and tells of progress 2. */
export function twoSteps(gate: Gate): Handler {
  return async (request) => {
    request.progress({ progress: 1 });
    await gate.passed;
    request.progress({ progress: 2 });
    return { content: [] };
  };
}

/** What is left of a stream: how far each notification says it is, and the result. */
export async function readSteps(reader: EventReader): Promise<unknown[]> {
  return (await reader.rest()).map((message) => message.params?.progress ?? message.result);
}
