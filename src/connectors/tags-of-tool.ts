import type { Connector } from './connector.js';

/** What the operator says of a tool. Its name is the upstream's choice: no member of every object is a tag. */
export function tagsOfTool({ tags, toolTags }: Connector, tool: string): readonly string[] {
  const own = Object.hasOwn(toolTags, tool) ? toolTags[tool] : undefined;
  return own === undefined ? tags : [...tags, ...own];
}
