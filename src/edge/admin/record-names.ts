import {
  HubError,
  isName,
  toAgentId,
  toConnectorId,
  toPolicyId,
  type AgentId,
  type ConnectorId,
  type PolicyId,
} from '../../kernel/index.js';

/** Ids from the address of a request. What cannot be an id is not found, like any other that does not exist. */

export function connectorNamed(name: string): ConnectorId {
  return toConnectorId(requireName(name, 'connector'));
}

export function agentNamed(name: string): AgentId {
  return toAgentId(requireName(name, 'agent'));
}

export function adminNamed(name: string): string {
  return requireName(name, 'admin');
}

export function accountNamed(name: string): string {
  return requireName(name, 'account');
}

export function policyNamed(name: string): PolicyId {
  return toPolicyId(requireName(name, 'policy'));
}

/** The name is told where it can be one: whoever reads of it may have several in mind. */
export function requireFound<Found>(found: Found | undefined, kind: string, name?: string): Found {
  if (found === undefined)
    throw new HubError(
      'not_found',
      name === undefined ? `there is no such ${kind}` : `there is no ${kind} ${name}`,
    );
  return found;
}

function requireName(name: string, kind: string): string {
  return requireFound(isName(name) ? name : undefined, kind);
}
