import {
  createAdminAccount,
  HUB_ADMIN,
  type AdminAccount,
  type SingleSignOnSettings,
} from '../../agents/index.js';
import type { AdminInput } from '../../contract/index.js';
import { HubError, isName, NAME_RULE, Secret } from '../../kernel/index.js';
import { requireStrong } from './strong-secret.js';

/** Who may run the hub, besides whoever holds its own token. */
export interface AdminSettings {
  readonly accounts: readonly AdminAccount[];
  readonly oidc: SingleSignOnSettings | undefined;
}

const DEFAULT_SCOPES = ['openid', 'email'];

export function toAdminSettings({ accounts = {}, oidc }: AdminInput, now: number): AdminSettings {
  return {
    accounts: Object.entries(accounts).map(([id, { name = id, role, token }]) => {
      if (!isName(id)) throw invalid(`accounts: "${String(id)}"`, `is not a name (${NAME_RULE})`);
      if (id === HUB_ADMIN) throw invalid(`accounts.${id}`, "stands for the holder of the hub's own token");
      const strong = requireStrong(token, `admin.accounts.${id}.token`);
      return createAdminAccount({ id, name, role, now, token: strong }).account;
    }),
    oidc: oidc === undefined ? undefined : toSingleSignOn(oidc),
  };
}

function toSingleSignOn(input: NonNullable<AdminInput['oidc']>): SingleSignOnSettings {
  const { clientId, clientSecret, scopes = DEFAULT_SCOPES, claim, roles = {}, agents = {} } = input;
  const issuer = new URL(input.issuer);
  if (issuer.protocol !== 'https:' && issuer.protocol !== 'http:')
    throw invalid('oidc.issuer', 'must begin with https:// or http://');
  if (issuer.username !== '' || issuer.password !== '' || issuer.search !== '' || issuer.hash !== '')
    throw invalid('oidc.issuer', 'is a scheme, a host and a path, nothing else');
  const { owner = [], operator = [], viewer = [] } = roles;
  if ([...owner, ...operator, ...viewer, ...Object.keys(agents)].length === 0)
    throw invalid('oidc', 'needs roles or agents: otherwise nobody can sign in with it');
  const wrong = Object.values(agents).find((id) => !isName(id));
  if (wrong !== undefined) throw invalid('oidc.agents', `"${String(wrong)}" is not the id of an agent`);
  return {
    issuer,
    clientId,
    clientSecret: clientSecret === undefined ? undefined : new Secret(clientSecret),
    scopes,
    claim,
    roles: { owner, operator, viewer },
    agents,
  };
}

function invalid(key: string, problem: string): HubError {
  return new HubError('config_invalid', `admin.${key}: ${problem}`);
}
