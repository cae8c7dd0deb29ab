/** One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1). */
export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  readonly token68: string | undefined;
  /** Names in lower case; of a name that is repeated the first. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What the protocol uses of a challenge (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface BearerChallenge {
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

const MAX_LENGTH = 16_384;
const MAX_CHALLENGES = 32;
const MAX_PARAMETERS = 64;

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const PARAMETER = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const SPACES = /[ \t]+/y;
const SEPARATOR = /[ \t]*,[ \t,]*/y;

/**
 * All challenges of a header whose fields may have been joined with commas. Whatever stands after something that is not
 * understood is left out; what was read before counts. Never throws, and reads each character a bounded number of times.
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const reader = new Reader(header.slice(0, MAX_LENGTH));
  const challenges: Challenge[] = [];
  reader.take(SEPARATOR);
  reader.take(SPACES);
  while (challenges.length < MAX_CHALLENGES) {
    const scheme = reader.take(TOKEN)?.[0];
    if (scheme === undefined) break;
    const { challenge, complete } = readChallenge(scheme.toLowerCase(), reader);
    challenges.push(challenge);
    if (!complete) break;
  }
  return challenges;
}

/** Of several, the one that says where the metadata is. */
export function findBearerChallenge(header: string): BearerChallenge | undefined {
  const bearers = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer');
  const found = bearers.find(({ parameters }) => parameters.has('resource_metadata')) ?? bearers[0];
  if (found === undefined) return undefined;
  const scopes = splitScopes(found.parameters.get('scope'));
  return {
    resourceMetadata: found.parameters.get('resource_metadata'),
    scopes: scopes.length === 0 ? undefined : scopes,
    error: found.parameters.get('error'),
  };
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const MAX_SCOPES = 128;

/** What is no scope is left out (RFC 6749 section 3.3). */
export function splitScopes(text: string | undefined): readonly string[] {
  const scopes = (text ?? '').split(' ').filter((scope) => SCOPE.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

function readChallenge(
  scheme: string,
  reader: Reader,
): { readonly challenge: Challenge; readonly complete: boolean } {
  const parameters = new Map<string, string>();
  const end = (complete: boolean, token68?: string) => ({
    challenge: { scheme, token68, parameters },
    complete,
  });
  if (reader.atEnd) return end(false);
  if (reader.take(SEPARATOR) !== undefined) return end(true);
  if (reader.take(SPACES) === undefined) return end(false);
  const token68 = reader.take(TOKEN68)?.[0];
  if (token68 !== undefined) return end(reader.take(SEPARATOR) !== undefined, token68);
  for (let count = 0; count < MAX_PARAMETERS; count++) {
    const name = reader.take(PARAMETER)?.[1]?.toLowerCase();
    // No parameter: the next challenge begins here.
    if (name === undefined) return end(true);
    const value = readValue(reader);
    if (value === undefined) return end(false);
    if (!parameters.has(name)) parameters.set(name, value);
    if (reader.take(SEPARATOR) === undefined) return end(false);
  }
  return end(false);
}

function readValue(reader: Reader): string | undefined {
  const quoted = reader.take(QUOTED)?.[1];
  return quoted === undefined ? reader.take(TOKEN)?.[0] : quoted.replace(/\\([\s\S])/g, '$1');
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }
}
