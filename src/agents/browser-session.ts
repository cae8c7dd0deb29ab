import type { AdminRole } from '../contract/index.js';
import type { AgentId } from '../kernel/index.js';

/** Whom a browser was signed in as. */
export type BrowserPrincipal =
  | { readonly kind: 'admin'; readonly id: string; readonly role: AdminRole }
  | { readonly kind: 'agent'; readonly id: AgentId };

/** What somebody showed to be signed in. A session ends when this is worth nothing any more. */
export type BrowserProof =
  /** A key of the agent. */
  | { readonly kind: 'key'; readonly key: string }
  /** An admin token, by its SHA-256. */
  | { readonly kind: 'token'; readonly digest: string }
  /** The word of an identity provider: what it said of whom. */
  | {
      readonly kind: 'single_sign_on';
      readonly issuer: string;
      readonly id: string;
      readonly values: readonly string[];
    };

/** A browser that signed in. */
export interface BrowserSession {
  /** Names it in events and bindings; of no use as a cookie. */
  readonly id: string;
  readonly principal: BrowserPrincipal;
  /** Shown to the browser's own pages, demanded back with every write. */
  readonly csrf: string;
  readonly startedAt: number;
  /** The latest end, however busy it is. */
  readonly expiresAt: number;
}

export interface BrowserSessions {
  /** A new one with a new name each time; `cookie` is the only thing that proves it. */
  start(
    principal: BrowserPrincipal,
    proof: BrowserProof,
  ): Promise<{ readonly session: BrowserSession; readonly cookie: string }>;
  /** Undefined if it is unknown, idle for too long, ended, or its principal is gone. `isUse` (default): it is not idle now. */
  find(cookie: string, isUse?: boolean): Promise<BrowserSession | undefined>;
  end(cookie: string): Promise<void>;
  /** Of everybody with this name, e.g. because the account is gone. */
  endAllOf(principal: { readonly kind: 'admin' | 'agent'; readonly id: string }): Promise<void>;
}
