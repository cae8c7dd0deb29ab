import type { AgentId } from '../kernel/index.js';

/** The group of all tickets that are kept for an agent. They end with it: another one may get its name. */
export function keptOfAgent(agent: AgentId): string {
  return `kept of ${agent}`;
}
