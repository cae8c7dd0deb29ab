import type { Connector } from '../connectors/index.js';
import type { Access, AccessProvider } from '../credentials/index.js';
import { AccessRefused } from '../upstreams/index.js';

export interface RefusedAttempt {
  readonly connector: Connector;
  readonly access: Access;
  /** What the headers of `access` were when it was tried. */
  readonly shown: Access['headers'];
  /** Whether this was the second try already. */
  readonly renewed: boolean;
  readonly error: unknown;
}

/**
 * Returns where it is worth one more try, because a token was renewed, and throws otherwise. An upstream that refuses
 * access has not done anything, so even a call may be sent again.
 */
export async function requireRenewed(credentials: AccessProvider, attempt: RefusedAttempt): Promise<void> {
  const { connector, access, shown, renewed, error } = attempt;
  if (!(error instanceof AccessRefused)) throw error;
  const { status, challenge } = error;
  if (status === 403)
    throw (
      (challenge === undefined ? undefined : await credentials.widen(connector, access, challenge)) ?? error
    );
  if (renewed) throw (await credentials.distrust(connector, access)) ?? error;
  if (!(await credentials.renew(connector, access, shown, challenge))) throw error;
}

/** Does something as the holder of an access, and once more where it was refused and could be renewed. */
export async function withRenewal<Result>(
  credentials: AccessProvider,
  connector: Connector,
  access: Access,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let renewed = false; ; renewed = true) {
    const shown = access.headers;
    try {
      return await attempt();
    } catch (error) {
      await requireRenewed(credentials, { connector, access, shown, renewed, error });
    }
  }
}
