import type { SessionHeaders } from './http-headers.js';

/** What every request after the handshake has to repeat. The session id is a secret and leaves only as a header. */
export class HttpSession implements SessionHeaders {
  readonly #onChange: () => void;
  #session: string | undefined;
  #revision: string | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get session(): string | undefined {
    return this.#session;
  }

  get revision(): string | undefined {
    return this.#revision;
  }

  setRevision(revision: string): void {
    this.#revision = revision;
  }

  /** A handshake succeeded, with or without a session. */
  begin(session: string | undefined): void {
    this.#session = session;
    this.#onChange();
  }

  /** The peer does not know this session any more. One that began since is not affected. */
  lose(session: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#onChange();
  }
}
