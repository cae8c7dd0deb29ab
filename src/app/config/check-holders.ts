import { digestKey } from '../../agents/index.js';
import { HubError } from '../../kernel/index.js';
import type { Config } from './config.js';

/** A secret tells who somebody is, so no two may have the same. Keys are known by their digests only. */
export function checkHolders({ adminToken, admin, agents }: Config): void {
  const holders = new Map<string, string>();
  const claim = (digest: string, what: string): void => {
    const other = holders.get(digest);
    if (other !== undefined && other !== what)
      throw new HubError('config_invalid', `${other} is also ${what}: each must be shown by one only`);
    holders.set(digest, what);
  };
  if (adminToken !== undefined) claim(digestKey(adminToken.reveal()), 'admin.token');
  for (const { id, tokenDigest = '' } of admin.accounts) claim(tokenDigest, `admin.accounts.${id}.token`);
  for (const { agent, keys } of agents)
    for (const { digest } of keys) claim(digest, `a key of agent ${agent.id}`);
}
