import { generatedParts, passwordIn, type Endpoint } from '../connectors/index.js';

/** Shorter values would be found in ordinary words. */
const SHORTEST_SECRET = 6;

/** A text of an upstream, without what it was given and nobody else may read. Some quote what they refuse. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  // What a process prints comes line by line, and so may a key that has several.
  const all = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]);
  // The longest first: one that begins like another must not be left half legible.
  for (const secret of all.toSorted((a, b) => b.length - a.length))
    if (secret.length >= SHORTEST_SECRET) rest = rest.replaceAll(secret, '***');
  return rest;
}

/** What a process was given, or what an address may be secret for. */
export function secretsOfEndpoint(endpoint: Endpoint): readonly string[] {
  if (endpoint.transport === 'stdio') return secretsOfProcess(endpoint);
  const { path, query } = generatedParts(new URL(endpoint.url));
  return [...path, ...query];
}

/** What a process was given. */
export function secretsOfProcess(endpoint: Endpoint): readonly string[] {
  if (endpoint.transport !== 'stdio') return [];
  const values = Object.values(endpoint.env).map((value) => value.reveal());
  return values.flatMap((value) => [value, passwordIn(value) ?? '']);
}
