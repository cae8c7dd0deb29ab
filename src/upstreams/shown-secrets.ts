import { generatedParts, isSecretSetting, type Connector } from '../connectors/index.js';
import type { Access } from '../credentials/index.js';

/** Shorter values may stand in a result by chance. */
const SHORTEST = 8;
/** What no writer of JSON has to escape. */
const PLAIN = /[A-Za-z0-9_.~-]+/g;

/** A value that is to be kept from callers. */
export interface ShownSecret {
  readonly value: string;
  /** The longest part of it that stands in JSON text as it is; where that is missing, so is the value. */
  readonly word: string;
}

/**
 * What one conversation shows its upstream to be let in. An upstream may quote it in whatever it says. The variables of a
 * process are no such thing: they are settings, and a program may have tools to show them.
 */
export class ShownSecrets {
  readonly #access: Access;
  readonly #settings: readonly ShownSecret[];
  #headers: Access['headers'] | undefined;
  #ofHeaders: readonly ShownSecret[] = [];
  #all: readonly ShownSecret[];

  constructor({ endpoint }: Connector, access: Access) {
    this.#access = access;
    this.#settings = endpoint.transport === 'stdio' ? [] : toSecrets(secretsOf(new URL(endpoint.url)));
    this.#all = this.#settings;
  }

  /** Whether there is nothing now and will be nothing later. */
  get isEmpty(): boolean {
    return this.#access.owner === 'anonymous' && this.#settings.length === 0;
  }

  /** With the token of before where one was renewed, which may still be spoken of; the longest first. */
  get all(): readonly ShownSecret[] {
    const { headers } = this.#access;
    if (headers === this.#headers) return this.#all;
    this.#headers = headers;
    const before = this.#ofHeaders;
    this.#ofHeaders = toSecrets(Object.entries(headers).flatMap(partsOf));
    this.#all = longestFirst([...this.#settings, ...this.#ofHeaders, ...before]);
    return this.#all;
  }
}

/**
 * What the query says by name, and the whole address where a part of it looks generated. Such a part alone is left: it
 * may be the id of what the tools are about.
 */
function secretsOf(url: URL): readonly string[] {
  const named = settingsOf(url).filter(([name, value]) => isSecretSetting(name, value));
  const { path, query } = generatedParts(url);
  return [
    ...named.map(([, value]) => value),
    ...(path.length > 0 ? [url.pathname] : []),
    ...(query.length > 0 ? [url.pathname + url.search] : []),
  ];
}

/** As they are meant, and as they are written: a plus sign that nobody encoded is read as a blank. */
function settingsOf({ searchParams, search }: URL): readonly (readonly [string, string])[] {
  const written = [...new URLSearchParams(search.replaceAll('%', '%25').replaceAll('+', '%2B'))];
  return [...searchParams, ...written];
}

/** Where one header may hold several values, each under a name. */
const WITH_PAIRS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** A header may name a scheme first, and the basic one packs a name and a password. */
function partsOf([name, header]: readonly [string, string]): readonly string[] {
  const value = header.replace(/^\w+ /, '');
  if (/^basic /i.test(header)) {
    const pair = Buffer.from(value, 'base64').toString();
    return [value, pair.slice(pair.indexOf(':') + 1)];
  }
  if (!WITH_PAIRS.has(name.toLowerCase())) return [value];
  return [value, ...value.split(/[;,]\s*/).map((pair) => pair.replace(/^[^=]*=?"?|"$/g, ''))];
}

function toSecrets(values: readonly string[]): readonly ShownSecret[] {
  const long = values.filter((value) => value.length >= SHORTEST);
  const all = new Set(long.flatMap((value) => [value, inAddress(value), inJson(value)]));
  return longestFirst([...all].map((value) => ({ value, word: plainPart(value) })));
}

/** How it stands in an address, which may be quoted too. */
function inAddress(value: string): string {
  return /%[\da-f]{2}/i.test(value) ? value : encodeURIComponent(Buffer.from(value).toString());
}

/** How it stands in JSON that is itself a text, such as a list of headers. */
function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function plainPart(value: string): string {
  return (value.match(PLAIN) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    '',
  );
}

/** One that begins like another must not be left half legible. */
function longestFirst(secrets: readonly ShownSecret[]): readonly ShownSecret[] {
  return secrets.toSorted((a, b) => b.value.length - a.value.length);
}
