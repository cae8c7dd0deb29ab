/** Where people and other servers find this hub. Where no setting says so it is known only once the hub listens. */
export class PublicUrl {
  readonly #configured: string | undefined;
  #local: string | undefined;

  constructor(configured: string | undefined) {
    this.#configured = configured === undefined ? undefined : new URL(configured).origin;
  }

  /** Told once, after listening. */
  listening(localUrl: string): void {
    this.#local = localUrl;
  }

  /** An origin as others compare it: in lower case, without a port that goes without saying, without a slash. It never depends on what a request says of itself. */
  get(): string {
    const url = this.#configured ?? this.#local;
    if (url === undefined) throw new Error('the hub has no address before it listens');
    return url;
  }

  /** The address of a path, which begins with a slash. */
  of(path: string): string {
    return this.get() + path;
  }
}
