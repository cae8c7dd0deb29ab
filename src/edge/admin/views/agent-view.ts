import type { Agent, AgentKey } from '../../../agents/index.js';
import type { AgentDetail, AgentKeyView, AgentView } from '../../../contract/index.js';
import { toTime } from './secret-state.js';

export function toAgentView({
  id,
  name,
  enabled,
  tags,
  source,
  version,
  createdAt,
  updatedAt,
}: Agent): AgentView {
  return {
    id,
    name,
    enabled,
    tags: [...tags],
    source,
    readOnly: source !== 'stored',
    version,
    createdAt: toTime(createdAt),
    updatedAt: toTime(updatedAt),
  };
}

export function toAgentDetail(
  agent: Agent,
  keys: readonly AgentKey[],
  credentials: AgentDetail['credentials'],
): AgentDetail {
  return { ...toAgentView(agent), keys: keys.map(toKeyView), credentials };
}

/** The digest stays inside as well: it would let keys be tried elsewhere. */
export function toKeyView({ id, last4, createdAt, expiresAt }: AgentKey): AgentKeyView {
  return {
    id,
    last4,
    createdAt: toTime(createdAt),
    ...(expiresAt !== undefined && { expiresAt: toTime(expiresAt) }),
  };
}
