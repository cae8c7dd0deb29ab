import type { Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';
import { ASK_EVERYTHING, ASK_NOTHING, withoutRoots, type AskProfile } from './ask-profile.js';
import type { Caller, Watching } from './upstream.js';

/**
 * What may be asked in the conversation of a caller. Where that is settled at the beginning, callers with different
 * abilities have different conversations: the upstream must not offer one what only the other can take part in.
 */
export function profileFor(
  connector: Connector,
  { principal, asks }: Caller,
  { agreesOnce }: { readonly agreesOnce: boolean | undefined },
): AskProfile {
  const { isolation, endpoint } = connector;
  if (agreesOnce === false) return ASK_NOTHING;
  const ofProcess =
    endpoint.transport === 'stdio' && (isolation === 'shared' || isolation === 'per_principal');
  // A process is one for many, and lists are read for everybody: all of it is declared, and refused where it does not fit.
  const wide = ofProcess || principal === 'hub' ? ASK_EVERYTHING : (asks ?? ASK_NOTHING);
  return isolation === 'shared' ? withoutRoots(wide) : wide;
}

/** In which conversation resources are watched. A process is not started for that where one serves the same callers. */
export function watchKeyOf(
  { id, isolation, endpoint }: Connector,
  access: Access,
  { principal, session }: Watching,
): string {
  const base = `${id}\n${access.id}`;
  if (isolation === 'shared') return base;
  if (isolation === 'per_session') return `${base}\n${principal}\n${session ?? ''}`;
  return endpoint.transport === 'stdio' ? `${base}\n${principal}` : `${base}\n\nwatch`;
}

/** Whose conversation it is. Nobody shares one across credentials. */
export function keyOf(
  connector: Connector,
  access: Access,
  { principal, session }: Caller,
  unique: () => number,
): string {
  const base = `${connector.id}\n${access.id}`;
  switch (connector.isolation) {
    case 'shared':
      return base;
    case 'per_principal':
      return `${base}\n${principal}`;
    case 'per_session':
      return `${base}\n${principal}\n${session ?? ''}`;
    case 'per_call':
      return `${base}\n${principal}\n#${unique()}`;
  }
}

/** Whose processes fail together. One caller's that keep ending are not held against the others. */
export function identityOf({ isolation }: Connector, access: Access, principal: Caller['principal']): string {
  return isolation === 'shared' ? access.id : `${access.id}\n${principal}`;
}

/** Who wants it, for deciding whether it may be started. */
export function wishOf({ insists, principal }: Caller) {
  if (insists === true) return 'admin';
  return principal === 'hub' ? 'hub' : 'caller';
}
