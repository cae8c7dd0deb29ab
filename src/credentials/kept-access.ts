import { createHash } from 'node:crypto';
import type { AgentId, Secret } from '../kernel/index.js';
import type { Access, CredentialOwner, OAuthGrant } from './credential.js';

type Headers = Readonly<Record<string, string>>;

const NOTHING: Headers = Object.freeze({});

/**
 * An access whose token changes while its identity stays, so that a renewal shows in conversations that are open and
 * opens no new ones. The headers are the same object as long as the token is the same.
 */
export class KeptAccess implements Access {
  readonly id: string;
  readonly owner: 'shared' | AgentId;
  readonly holder: { readonly owner: CredentialOwner; readonly account: string };
  #headers: Headers = NOTHING;

  constructor(id: string, holder: KeptAccess['holder']) {
    const { owner } = holder;
    this.id = id;
    this.holder = holder;
    this.owner = owner.kind === 'shared' ? 'shared' : owner.agent;
  }

  get headers(): Headers {
    return this.#headers;
  }

  /** Undefined: there is none any more, and conversations that go on show nothing. */
  show(token: Secret | undefined): void {
    if (token === undefined) {
      this.#headers = NOTHING;
      return;
    }
    const authorization = `Bearer ${token.reveal()}`;
    if (this.#headers['authorization'] !== authorization) this.#headers = Object.freeze({ authorization });
  }
}

/** Tells accounts apart, not tokens: what a token was renewed to is the same identity. */
export function accessId(
  owner: CredentialOwner,
  account: string,
  grant: Pick<OAuthGrant, 'issuer' | 'resource'> | undefined,
): string {
  const identity = JSON.stringify([account, grant?.issuer, grant?.resource]);
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  return owner.kind === 'shared' ? `oauth:${digest}` : `oauth:agent:${owner.agent}:${digest}`;
}
