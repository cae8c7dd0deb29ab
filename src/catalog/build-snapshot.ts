import { createHash } from 'node:crypto';
import type { ConnectorId } from '../kernel/index.js';
import { stringifyJson } from '../mcp/jsonrpc/index.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../mcp/model/index.js';
import { aggregateRule, assignNames } from './exposed-names.js';
import type { RejectedOffer, Snapshot, UpstreamIdentity } from './snapshot.js';

/** What was heard from an upstream, before it is judged. */
export interface Listing {
  readonly connectorId: ConnectorId;
  readonly takenAt: number;
  readonly upstream: UpstreamIdentity;
  readonly listedAs: Snapshot['listedAs'];
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly rejected: readonly RejectedOffer[];
}

const MAX_NAME_LENGTH = 128;

/** Of tools that are not offered; a server that keeps inventing names must not fill the store. */
const MOST_HELD = 10_000;
const CHANGED =
  'it is not what it was when it was accepted; "crosspoint connector sync" with --accept accepts what it is now';

/** What an offer is known by; `hashOf`, or something that remembers what that said. */
export type DigestOf = (offer: object) => string;

/** Tools by their digest as somebody has accepted them: the first time all, later as they were offered last. */
export function acceptedTools(
  before: Snapshot | undefined,
  digestOf: DigestOf = hashOf,
): ReadonlyMap<string, string> {
  return new Map([
    ...(before?.held ?? []),
    ...(before?.tools ?? []).map((tool) => [tool.name, digestOf(tool)] as const),
  ]);
}

/** Names of tools that are listed and wait for somebody to accept them. */
export function heldTools({ held, rejected }: Pick<Snapshot, 'held' | 'rejected'>): ReadonlySet<string> {
  const known = new Set(held?.map(([name]) => name));
  return new Set(
    rejected.filter(({ kind, name }) => kind === 'tool' && known.has(name)).map(({ name }) => name),
  );
}

function isAccepted(tool: Tool, accepted: ReadonlyMap<string, string>, digestOf: DigestOf): boolean {
  const digest = accepted.get(tool.name);
  return digest === undefined || digest === digestOf(tool);
}

/** Keeps what can be offered, sets the rest aside with a reason, and names what is kept. */
export function buildSnapshot(
  listing: Listing,
  before: Snapshot | undefined,
  judgeTool: (tool: Tool) => string | undefined,
  accepted: ReadonlyMap<string, string> = new Map(),
  digestOf: DigestOf = hashOf,
): Snapshot {
  const rejected: RejectedOffer[] = [...listing.rejected];
  const tools = keep(
    'tool',
    listing.tools,
    (tool) => tool.name,
    rejected,
    (tool) => (isAccepted(tool, accepted, digestOf) ? judgeTool(tool) : CHANGED),
  );
  const offered = new Set(tools.map(({ name }) => name));
  const held = [...accepted].filter(([name]) => !offered.has(name)).slice(-MOST_HELD);
  const prompts = keep('prompt', listing.prompts, (prompt) => prompt.name, rejected);
  const resources = keep('resource', listing.resources, (resource) => resource.uri, rejected);
  const templates = keep('template', listing.templates, (template) => template.uriTemplate, rejected);
  const rule = aggregateRule(listing.connectorId);
  return {
    ...listing,
    tools,
    prompts,
    resources,
    templates,
    rejected,
    ...(held.length > 0 && { held }),
    hash: hashOf([
      ...[tools, prompts, resources, templates].map((offers) => (offers as readonly object[]).map(digestOf)),
      listing.upstream.instructions ?? null,
    ]),
    names: {
      tools: assignNames(
        rule,
        tools.map((tool) => tool.name),
        before?.names.tools,
      ),
      prompts: assignNames(
        rule,
        prompts.map((prompt) => prompt.name),
        before?.names.prompts,
      ),
    },
  };
}

/** Sorted by name, so that the same offers give the same list. Of two with one name the first stays. */
function keep<Offer>(
  kind: RejectedOffer['kind'],
  offers: readonly Offer[],
  nameOf: (offer: Offer) => string,
  rejected: RejectedOffer[],
  judge: (offer: Offer) => string | undefined = () => undefined,
): readonly Offer[] {
  const kept = new Map<string, Offer>();
  for (const offer of offers) {
    const name = nameOf(offer);
    const reason = kept.has(name) ? 'another one has the same name' : (judgeName(kind, name) ?? judge(offer));
    if (reason === undefined) kept.set(name, offer);
    else rejected.push({ kind, name: name.slice(0, MAX_NAME_LENGTH), reason });
  }
  return [...kept.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, offer]) => offer);
}

function judgeName(kind: RejectedOffer['kind'], name: string): string | undefined {
  if (name === '') return 'the name is empty';
  const limit = kind === 'tool' || kind === 'prompt' ? MAX_NAME_LENGTH : 8 * 1024;
  if (name.length > limit) return `the name is longer than ${limit} characters`;
  if (/\p{Cs}/u.test(name)) return 'the name has half a character';
  return /\p{Cc}/u.test(name) ? 'the name has control characters' : undefined;
}

/** Independent of the order in which an upstream writes the members of its definitions. All digits of numbers count. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(stringifyJson(sorted(value)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || hasFormOfItsOwn(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** Such as exact numbers and secrets. */
function hasFormOfItsOwn(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
