/** Where people and other servers find this hub. Where no setting says so it is known only once the hub listens. */
export class PublicUrl {
  readonly #configured: string | undefined;
  #local: string | undefined;

  constructor(configured: string | undefined) {
    this.#configured = configured === undefined ? undefined : withoutSlash(configured);
  }

  /** Told once, after listening. */
  listening(localUrl: string): void {
    this.#local = localUrl;
  }

  /** Without a slash at its end. It never depends on what a request says of itself. */
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

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
