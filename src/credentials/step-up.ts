import { HubError, type ConnectorId } from '../kernel/index.js';
import type { OAuthGrant } from './credential.js';

const WINDOW_MS = 60 * 60_000;
const MOST = 2;

export type StepUpDecision =
  /** Somebody has to be asked for `stepUp.scopes` besides what was granted. */
  | { readonly kind: 'ask'; readonly stepUp: NonNullable<OAuthGrant['stepUp']> }
  /** Asked often enough within the hour. */
  | { readonly kind: 'enough' }
  /** Everything it names was granted already, or it names nothing. */
  | { readonly kind: 'useless' };

/** Whether to ask for more because an upstream wants it. An upstream that wants more each time is not followed for ever. */
export function decideStepUp(grant: OAuthGrant, wanted: readonly string[], now: number): StepUpDecision {
  const before = grant.stepUp ?? { scopes: [], times: [] };
  const missing = wanted.filter((scope) => !grant.scopes.includes(scope));
  if (missing.length === 0) return { kind: 'useless' };
  if (grant.stepUp !== undefined && missing.every((scope) => before.scopes.includes(scope)))
    return { kind: 'ask', stepUp: grant.stepUp };
  const times = before.times.filter((at) => at + WINDOW_MS > now);
  if (times.length >= MOST) return { kind: 'enough' };
  return {
    kind: 'ask',
    stepUp: { scopes: [...new Set([...before.scopes, ...missing])], times: [...times, now] },
  };
}

/** What to ask for in the next sign-in: nothing that was granted may get lost. */
export function scopesToAsk({ scopes, stepUp }: OAuthGrant): readonly string[] {
  return [...new Set([...scopes, ...(stepUp?.scopes ?? [])])];
}

/** After a sign-in: what was asked for is settled, how often stays known. */
export function afterSignIn(grant: OAuthGrant, before: OAuthGrant | undefined): OAuthGrant {
  return before?.stepUp === undefined || before.issuer !== grant.issuer
    ? grant
    : { ...grant, stepUp: { scopes: [], times: before.stepUp.times } };
}

export function stepUpRefused(connector: ConnectorId): HubError {
  return new HubError(
    'credential_required',
    `connector ${connector} keeps asking for more rights; nobody is asked again within the hour`,
    { details: { reason: 'step_up_limit', connector } },
  );
}
