import { checkJwt, refuseToken, UnknownKey, type AgentReader, type IssuerCheck } from '../../agents/index.js';
import { toAgentId, type Clock, type TicketStore } from '../../kernel/index.js';
import type { SigningKeys } from './signing-keys.js';
import { ticketKind } from './ticket-adapter.js';

export interface OwnIssuerOptions {
  readonly issuer: () => string;
  readonly keys: SigningKeys;
  readonly tickets: Pick<TicketStore, 'find'>;
  readonly agents: Pick<AgentReader, 'find'>;
  readonly clock: Clock;
}

/** Checks the tokens that the hub issued itself. Nothing is fetched for it. */
export function createOwnIssuerCheck({
  issuer,
  keys,
  tickets,
  agents,
  clock,
}: OwnIssuerOptions): IssuerCheck {
  return {
    issuer,
    takesOpaque: false,
    audience: undefined,
    requiredScopes: [],
    async check(token) {
      const findKey = async ({ kid }: { readonly kid?: string | undefined }) => {
        const key = await keys.findPublic(kid);
        if (key !== undefined) return key;
        throw new UnknownKey();
      };
      return checkJwt(token, {
        issuer: issuer(),
        algorithms: ['ES256'],
        types: ['at+jwt'],
        keys: findKey,
        clock,
      });
    },
    async findAgent({ all: { sub, grant } }) {
      if (typeof sub !== 'string' || typeof grant !== 'string') return refuseToken('a token without a grant');
      if ((await tickets.find(ticketKind('Grant'), grant)) === undefined)
        return refuseToken('a token whose grant was revoked');
      return (await agents.find(toAgentId(sub))) ?? refuseToken('a token for an agent that is not there');
    },
  };
}
