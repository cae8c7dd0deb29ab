import type { Clock } from '../kernel/index.js';
import type { AdminDirectory } from './admin-directory.js';
import type { AgentReader } from './agent.js';
import type { BrowserPrincipal, BrowserProof } from './browser-session.js';

export interface ProofCheckDependencies {
  readonly agents: Pick<AgentReader, 'find' | 'listKeys'>;
  readonly admins: Pick<AdminDirectory, 'find'>;
  /** Whom the settings of now make of what an identity provider said. */
  readonly principalOf: (
    issuer: string,
    values: readonly string[],
    id: string,
  ) => BrowserPrincipal | undefined;
  readonly clock: Clock;
}

/** Whether what somebody showed when they signed in still makes them who they were. */
export function createProofCheck({ agents, admins, principalOf, clock }: ProofCheckDependencies) {
  async function isOpen(id: Extract<BrowserPrincipal, { kind: 'agent' }>['id']): Promise<boolean> {
    return (await agents.find(id))?.enabled === true;
  }

  async function hasKey(principal: BrowserPrincipal, key: string): Promise<boolean> {
    if (principal.kind !== 'agent' || !(await isOpen(principal.id))) return false;
    const found = (await agents.listKeys(principal.id)).find(({ id }) => id === key);
    return found !== undefined && (found.expiresAt === undefined || found.expiresAt > clock.now());
  }

  async function hasToken(principal: BrowserPrincipal, digest: string): Promise<boolean> {
    if (principal.kind !== 'admin') return false;
    const admin = await admins.find(principal.id);
    return admin?.tokenDigest === digest && admin.role === principal.role;
  }

  return async function holds(principal: BrowserPrincipal, proof: BrowserProof): Promise<boolean> {
    switch (proof.kind) {
      case 'key':
        return hasKey(principal, proof.key);
      case 'token':
        return hasToken(principal, proof.digest);
      case 'single_sign_on': {
        const now = principalOf(proof.issuer, proof.values, proof.id);
        if (now?.kind !== principal.kind || now.id !== principal.id) return false;
        if (now.kind === 'agent') return isOpen(now.id);
        return principal.kind === 'admin' && now.role === principal.role;
      }
    }
  };
}
