/**
 * A record that is known by an unguessable name and lives for a while: a browser's session, an account connection under
 * way, a sign-in link. Whoever shows the name is believed to be the one it was given to, so stores keep only its digest.
 */
export interface Ticket {
  /** What it is for. A name counts for its kind only. */
  readonly kind: string;
  readonly name: string;
  /** JSON; kept sealed. */
  readonly value: string;
  /** Tickets that end together, such as all of one sign-in. */
  readonly group?: string;
  readonly expiresAt: number;
  /** When it was used up; it stays known so that a second use can be told from a wrong name. */
  readonly usedAt?: number;
}

export interface TicketStore {
  /** Replaces one of the same kind and name. */
  put(ticket: Ticket): Promise<void>;
  /** True for exactly one caller, in whatever process; false where there is one of the same kind and name, past its end or not. */
  add(ticket: Ticket): Promise<boolean>;
  /** Undefined if it is not known or past its end. Used ones are found. */
  find(kind: string, name: string): Promise<Ticket | undefined>;
  /** Hands it to exactly one caller, in whatever process, and removes it. */
  take(kind: string, name: string): Promise<Ticket | undefined>;
  /** True for exactly one caller; false if it was used before or is not there. */
  use(kind: string, name: string): Promise<boolean>;
  remove(kind: string, name: string): Promise<void>;
  removeGroup(group: string): Promise<void>;
  /** All of a kind that are not past their end, page by page; their names are not known any more. */
  each(kind: string): AsyncIterable<Omit<Ticket, 'name'>>;
  /** How many of a kind there are, of one group or of all, past their end or not. */
  count(kind: string, group?: string): Promise<number>;
  /** Removes what is past its end; tells how many. */
  sweep(): Promise<number>;
}
