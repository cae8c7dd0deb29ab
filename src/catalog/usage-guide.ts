import type { OperatorPrompt } from '../connectors/index.js';
import type { Prompt, Tool } from '../mcp/model/index.js';

/** Where a definition is the operator's work and not the upstream's, its `_meta` says so. */
const SOURCE = 'crosspoint/source';
/** Under which names the tools are offered that a prompt belongs to. */
const TOOLS = 'crosspoint/tools';

/**
 * A tool with what the operator wrote about its use: models read descriptions, while hardly any client fetches a prompt
 * by itself. Texts with blanks to fill in stay prompts only.
 */
export function withUsageGuide(tool: Tool, prompts: readonly OperatorPrompt[]): Tool {
  const guides = prompts.filter(
    ({ tools, arguments: args }) => args.length === 0 && tools.includes(tool.name),
  );
  if (guides.length === 0) return tool;
  const texts = guides.map(({ text }) => `## Usage guide (added by the operator)\n${text}`);
  return { ...tool, description: [...(tool.description ? [tool.description] : []), ...texts].join('\n\n') };
}

/** The operator's prompt as clients see it. Tools that one does not see have no name for it. */
export function toOfferedPrompt(
  prompt: OperatorPrompt,
  exposedNameOf: (tool: string) => string | undefined,
): Prompt {
  const { name, title, description, arguments: args } = prompt;
  const tools = prompt.tools.flatMap((tool) => exposedNameOf(tool) ?? []);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(args.length > 0 && { arguments: args.map((argument) => ({ ...argument })) }),
    _meta: { [SOURCE]: 'operator', ...(tools.length > 0 && { [TOOLS]: tools }) },
  };
}
