import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { McpRequest, TaskPort } from '../mcp/server/index.js';
import type { TaskDesk, TaskRequest } from '../operations/index.js';
import { askProfileOf } from '../upstreams/index.js';
import { toMcpError } from './mcp-face.js';

/** What becomes of calls that became tasks, for the clients of one endpoint. */
export function createTaskPort(
  tasks: TaskDesk,
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
  /** Failures leave in the face of the protocol. */
  const faced = async <Result>(request: McpRequest, work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      throw toMcpError(error, request.method);
    }
  };
  return {
    get: (request, id) => faced(request, tasks.get(asked(request), id)),
    settled: (request, id, known) => faced(request, tasks.settled(asked(request), id, known)),
    update: (request, id, responses) => faced(request, tasks.update(asked(request), id, responses)),
    cancel: (request, id, final) => faced(request, tasks.cancel(asked(request), id, final)),
    list: (request, cursor) => faced(request, tasks.list(asked(request), cursor)),
  };
}
