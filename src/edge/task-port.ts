import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { McpRequest, TaskPort } from '../mcp/server/index.js';
import type { TaskDesk, TaskRequest } from '../operations/index.js';
import { askProfileOf } from '../upstreams/index.js';
import { toMcpError } from './mcp-face.js';

/** What becomes of calls that became tasks, for the clients of one endpoint. */
export function createTaskPort(
  tasks: Pick<TaskDesk, 'admit' | 'get' | 'settled' | 'update' | 'cancel' | 'list'>,
  scope: SurfaceScope,
  agentOf: (principal: string) => Agent,
): TaskPort {
  const asked = (request: McpRequest): TaskRequest => {
    const asks = askProfileOf(request.client.capabilities);
    return {
      agent: agentOf(request.principal),
      scope,
      session: request.session,
      asks,
      capabilities: asks?.capabilities ?? {},
      onAbort: (listener) => request.onAbort(listener),
    };
  };
  const counted = new WeakSet<McpRequest>();
  /** A request counts once, however often it looks. Failures leave in the face of the protocol. */
  const answer = async <Result>(
    request: McpRequest,
    work: (asked: TaskRequest) => Promise<Result>,
  ): Promise<Result> => {
    try {
      const about = asked(request);
      if (!counted.has(request)) await tasks.admit(about.agent.id);
      counted.add(request);
      return await work(about);
    } catch (error) {
      throw toMcpError(error, request.method);
    }
  };
  return {
    get: (request, id) => answer(request, (about) => tasks.get(about, id)),
    settled: (request, id, known) => answer(request, (about) => tasks.settled(about, id, known)),
    update: (request, id, responses, refusals) =>
      answer(request, (about) => tasks.update(about, id, responses, refusals)),
    cancel: (request, id, final) => answer(request, (about) => tasks.cancel(about, id, final)),
    list: (request, cursor) => answer(request, (about) => tasks.list(about, cursor)),
  };
}
