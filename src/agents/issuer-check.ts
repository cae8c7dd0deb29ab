import { toAgentId, type AgentId, type Clock } from '../kernel/index.js';
import type { Agent, AgentReader } from './agent.js';
import { checkJwt } from './check-jwt.js';
import { introspectToken } from './introspect-token.js';
import { createIssuerKeys, type IssuerFetch } from './issuer-keys.js';
import { findSubjectAgent } from './subject-agent.js';
import type { IssuerCheck, TrustedIssuer } from './token-issuer.js';
import { refuseToken } from './token-verdict.js';

/** Makes an agent for somebody who shows a good token for the first time. */
export type EnrolAgent = (request: {
  readonly id: AgentId;
  readonly name: string;
  readonly tags: readonly string[];
  readonly issuer: string;
}) => Promise<Agent>;

export interface IssuerCheckDependencies {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly enrol: EnrolAgent;
  readonly fetch: IssuerFetch;
  readonly clock: Clock;
}

/** Checks tokens of an issuer that the operator trusts. */
export function createIssuerCheck(trusted: TrustedIssuer, deps: IssuerCheckDependencies): IssuerCheck {
  const { issuer, introspection, algorithms, types } = trusted;
  const { fetch, clock } = deps;
  const keys = createIssuerKeys({ issuer, jwksUri: trusted.jwksUri, fetch, clock });
  return {
    issuer: () => issuer,
    takesOpaque: introspection !== undefined,
    audience: trusted.audience,
    requiredScopes: trusted.requiredScopes,
    check: (token) =>
      introspection === undefined
        ? checkJwt(token, { issuer, algorithms, types, keys, clock })
        : introspectToken(token, { issuer, introspection, fetch, clock }),
    async findAgent(claims) {
      const subject = findSubjectAgent(issuer, trusted.agents, claims);
      if (subject === undefined) return refuseToken('a token of somebody who is no agent');
      const id = toAgentId(subject.id);
      const known = await deps.agents.find(id);
      // Every hub has it, and everybody knows its name: a claim that happens to say so must not become it.
      if (known?.source === 'built_in' && !subject.isMapped)
        return refuseToken('a token for the built-in agent, which the operator did not map');
      if (known !== undefined) return known;
      if (subject.tagsOfNew === undefined) return refuseToken('a token for an agent that is not there');
      return deps.enrol({ id, name: subject.name, tags: subject.tagsOfNew, issuer });
    },
  };
}
