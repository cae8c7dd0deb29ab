import type { BrowserSession } from '../agents/index.js';
import type { AdminRole } from '../contract/index.js';
import type { Actor } from '../governance/index.js';
import { HubError, type Secret } from '../kernel/index.js';

/** A person or script that runs the hub. */
export interface Admin {
  readonly id: string;
  readonly role: AdminRole;
  /** The browser that signed in, where no token was shown. */
  readonly signedIn?: SignedInBrowser;
}

export interface SignedInBrowser {
  readonly session: BrowserSession;
  readonly cookie: Secret;
}

/** An admin in one request, whose id is in the answer and in the events. */
export interface AdminCaller extends Admin {
  readonly request: string;
}

export function toActor({ id, request }: AdminCaller): Actor {
  return { kind: 'admin', id, request };
}

/** For what lets others reach further than before. */
export function requireOwner(by: Admin, what: string): void {
  if (by.role !== 'owner') throw new HubError('forbidden', `only an owner may ${what}`);
}

/** Refuses a change that was made with another state in mind. */
export function requireVersion(version: number | undefined, expected: number | undefined): void {
  if (expected !== undefined && version !== expected)
    throw new HubError('precondition_failed', 'it was changed meanwhile: read it again');
}
