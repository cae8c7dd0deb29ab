import { tagsOfTool, type Connector } from '../../../connectors/index.js';
import type { ToolView } from '../../../contract/index.js';
import { flagsOf, riskOf } from '../../../governance/index.js';
import type { Tool } from '../../../mcp/model/index.js';

export function toToolView({
  connector,
  tool,
  exposedName,
}: {
  readonly connector: Connector;
  readonly tool: Tool;
  readonly exposedName: string;
}): ToolView {
  const { title, description, annotations, inputSchema, outputSchema } = tool;
  const tags = [...tagsOfTool(connector, tool.name)];
  return {
    name: exposedName,
    connector: connector.id,
    tool: tool.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    risk: riskOf(flagsOf(tool), tags),
    tags,
    ...(annotations !== undefined && { annotations: { ...annotations } }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
  };
}
