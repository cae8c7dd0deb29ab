import { echo, ECHO_TOOL, LEGACY_REVISION } from '../../workers/call.js';
import { LARGE_TOOL, PROGRESS_STEPS, PROGRESS_TOOL } from '../work.js';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: unknown };
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const LARGE = { content: [{ type: 'text', text: 'x'.repeat(1 << 20) }] };

/** What the upstream of the bench says to a request: the least that is right. Undefined: a notification. */
export function answerOf(
  text: string,
  tools: readonly object[],
): { readonly text: string; readonly opens: boolean; readonly streamed?: string } | undefined {
  const { id, method, params } = JSON.parse(text) as Request;
  if (id === undefined) return undefined;
  const result = resultOf(method, params, tools);
  const error = { code: -32601, message: 'Method not found' };
  const answer = JSON.stringify(
    result === undefined ? { jsonrpc: '2.0', id, error } : { jsonrpc: '2.0', id, result },
  );
  const progressToken = params?._meta?.progressToken;
  return {
    text: answer,
    opens: method === 'initialize',
    ...(params?.name === PROGRESS_TOOL &&
      progressToken !== undefined && { streamed: progressThen(progressToken, answer) }),
  };
}

/** An event stream: how far it is, step by step, and then the answer. */
function progressThen(progressToken: unknown, answer: string): string {
  const steps = Array.from({ length: PROGRESS_STEPS }, (_, i) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: i + 1, total: PROGRESS_STEPS },
    }),
  );
  return [...steps, answer].map((message) => `event: message\ndata: ${message}\n\n`).join('');
}

function resultOf(method: string, params: Request['params'], tools: readonly object[]): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: LEGACY_REVISION,
        capabilities: { tools: {} },
        serverInfo: { name: 'stub', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return params?.name === LARGE_TOOL ? LARGE : echo(params?.arguments?.text);
    default:
      return undefined;
  }
}

/** The echo tool, the one with the large result, the one that tells how far it is, and others to fill a list. */
export function toolsOf(count: number): readonly object[] {
  const { description, inputSchema } = ECHO_TOOL;
  const large = { name: LARGE_TOOL, description, inputSchema };
  const progress = { name: PROGRESS_TOOL, description, inputSchema };
  const others = Array.from({ length: Math.max(0, count - 3) }, (_, i) => ({
    name: `tool_${i}`,
    description: `Tool number ${i}. ${'It is described at the length that is usual for a tool of its kind. '.repeat(5)}`,
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What it is to work with' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many it may give' },
      },
      required: ['text'],
    },
  }));
  return [ECHO_TOOL, large, progress, ...others].slice(0, Math.max(count, 1));
}
