import { randomToken, Secret, toKeyId, type AgentId } from '../kernel/index.js';
import type { AgentKey } from './agent.js';
import { digestKey } from './authenticator.js';

/** Keys an operator chooses must be long enough not to be guessed. */
export const MIN_KEY_LENGTH = 20;

/** A new key, or the record of a given one. The key itself is only in `secret`. */
export function createAgentKey(options: {
  agentId: AgentId;
  now: number;
  expiresAt?: number;
  key?: Secret;
}): { key: AgentKey; secret: Secret } {
  const secret = options.key ?? new Secret(`cpk_${randomToken()}`);
  const digest = digestKey(secret.reveal());
  return {
    secret,
    key: {
      id: toKeyId(digest.slice(0, 12)),
      agentId: options.agentId,
      digest,
      last4: secret.last4,
      createdAt: options.now,
      expiresAt: options.expiresAt,
    },
  };
}
