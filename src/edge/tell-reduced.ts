import type { Agent } from '../agents/index.js';
import type { CatalogEntry, Surface, SurfaceScope } from '../catalog/index.js';
import type { ServerEvent } from '../mcp/server/index.js';
import type { McpOperations } from './mcp-handlers.js';

type Reduced = Extract<ServerEvent, { type: 'answer_reduced' | 'question_reduced' }>;

/** Writes down what a client was not told because its revision has no words for it, with the connector that it came from. */
export function tellReduced(
  { surfaces, losses }: Pick<McpOperations, 'surfaces' | 'losses'>,
  scope: SurfaceScope,
  agent: Agent,
  event: Reduced,
): void {
  const { method, name, revision, lost } = event;
  const connector = entryOf(surfaces.surfaceFor(agent, scope), method, name)?.connector.id;
  if (event.type === 'question_reduced')
    losses.questionReduced({
      agent: agent.id,
      method: event.question,
      revision,
      lost,
      ...(connector !== undefined && { connector }),
    });
  else if (connector !== undefined)
    losses.answerReduced({ connector, agent: agent.id, exposedName: name, method, revision, lost });
}

/** Of a task there is only a handle, which says nothing of the kind. */
function entryOf(surface: Surface, method: string, name: string): CatalogEntry | undefined {
  switch (method) {
    case 'tools/call':
      return surface.findTool(name);
    case 'prompts/get':
      return surface.findPrompt(name);
    case 'resources/read':
      return surface.findResourceOwner(name);
    default:
      return undefined;
  }
}
