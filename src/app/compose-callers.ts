import {
  createIssuerCheck,
  createTokenVerifier,
  type AdminDirectory,
  type AgentDirectory,
  type IssuerCheck,
  type TrustedIssuer,
} from '../agents/index.js';
import {
  createOwnIssuerCheck,
  createOwnResources,
  createSigningKeys,
  type TokenFace,
} from '../edge/index.js';
import type { EventLog } from '../governance/index.js';
import type { Clock } from '../kernel/index.js';
import { createClientApprovals, createEnrolAgent } from '../operations/index.js';
import type { Storage } from '../storage/index.js';
import { createGuardedFetch } from '../upstreams/index.js';
import type { Config } from './config/config.js';
import type { PublicUrl } from './public-url.js';

export interface CallerParts {
  readonly config: Config;
  readonly publicUrl: PublicUrl;
  readonly agents: AgentDirectory;
  readonly admins: Pick<AdminDirectory, 'findByTokenDigest'>;
  readonly storage: Storage;
  readonly events: EventLog;
  readonly clock: Clock;
}

/** Those that the hub made, also where they are not known any more. */
const OWN_SECRET = /^cp[ak]_/;

/** Whose access tokens count. */
export function composeCallers({ config, publicUrl, agents, admins, storage, events, clock }: CallerParts) {
  const { issuers, server } = config.auth;
  const resources = createOwnResources(() => publicUrl.get());
  const verifier = createTokenVerifier({
    clock,
    isOwnAudience: (audience) => resources.isOwn(audience),
    isOwnSecret: async (token, digest) =>
      OWN_SECRET.test(token) ||
      (await agents.findByKeyDigest(digest)) !== undefined ||
      (await admins.findByTokenDigest(digest)) !== undefined,
  });
  const { tickets } = storage;
  // Nobody is remembered as an agent that is not there yet.
  const authenticator = { forget() {} };
  const enrol = createEnrolAgent({
    agents,
    agentStore: storage.agents,
    credentialStore: storage.credentials,
    tickets,
    taskStore: storage.tasks,
    clients: createClientApprovals({ tickets, authenticator, events, clock }),
    events,
    clock,
  });
  const signingKeys = createSigningKeys({ secrets: storage.dataKeys, clock });
  const own: IssuerCheck = createOwnIssuerCheck({
    issuer: () => publicUrl.get(),
    keys: signingKeys,
    tickets,
    agents,
    clock,
  });
  verifier.configure([
    ...issuers.map((issuer) => createIssuerCheck(issuer, { agents, enrol, fetch: fetchFor(issuer), clock })),
    ...(server.enabled ? [own] : []),
  ]);
  const face: TokenFace = {
    isOn: () => verifier.isOn,
    scopes: () => [
      ...new Set([
        ...issuers.flatMap(({ requiredScopes }) => requiredScopes),
        ...(server.enabled ? server.scopes.slice(0, 1) : []),
      ]),
    ],
    resources,
  };
  return { verifier, face, resources, signingKeys };
}

/** The operator named these addresses, so they may lie in a private network; nothing else an issuer says may. */
function fetchFor({ issuer, jwksUri, introspection }: TrustedIssuer) {
  const named = [issuer, jwksUri, introspection?.url].filter((address) => address !== undefined);
  return createGuardedFetch({ privateOrigins: named.map((address) => new URL(address)) });
}
