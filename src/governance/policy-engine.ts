import { createHash, randomUUID } from 'node:crypto';
import type { AuthorizationAnswer } from '@cedar-policy/cedar-wasm/nodejs';
import { HubError, type Clock } from '../kernel/index.js';
import { cedar, cedarVersion, takeBackCedar } from './cedar.js';
import { ArgumentsTooLarge, joinArgumentNames, type ArgumentNames } from './policy-arguments.js';
import type { NamedOffers, Statement } from './policy-documents.js';
import { atOnce, inTurns, type Steps } from './policy-pieces.js';
import { readSet, readSetLate, statementsOf, type PolicySet } from './policy-set.js';
import { resourceOf, toCedarContext, toCedarQuestion } from './policy-entities.js';
import { POLICY_SCHEMA } from './policy-schema.js';
import type {
  AcceptedPolicies,
  Decision,
  Policy,
  PolicyEngine,
  PolicyQuestion,
  ToolFlags,
} from './policy.js';

export interface PolicyEngineOptions {
  readonly clock: Clock;
  /** The toolsets a tool belongs to, by connector and upstream name. */
  readonly toolsetsOf?: (connector: string, tool: string) => readonly string[];
  /** Sets that it knows are read when the first decision is asked for. */
  readonly accepted?: AcceptedPolicies;
}

/** The statements that can concern one connector, parsed once by each library that is asked about them. */
interface Slice {
  readonly name: string;
  parsedBy: WeakRef<ReturnType<typeof cedar>> | undefined;
  readonly statements: ReadonlyMap<string, Statement>;
  readonly usesMoment: boolean;
  readonly usesSeen: boolean;
  readonly namedOffers: NamedOffers;
  readonly argumentNames: ArgumentNames;
}

/** A decision with all that it may depend on while no policy looks at arguments, time or what was used before. */
interface Remembered extends Pick<PolicyQuestion, 'agent' | 'action' | 'connector'> {
  readonly toolsets: readonly string[];
  readonly decision: Decision;
}

const MAX_CACHED_DECISIONS = 50_000;
/** Clients fill templates in as they like: decisions about long addresses would take much memory, and hardly serve twice. */
const LONGEST_KEY = 2_048;
/** What listing something is for. */
const USE = { tool: 'call', prompt: 'get', resource: 'read' } as const;
const NO_TOOLSETS: readonly string[] = [];
const TOO_LARGE: Decision = {
  kind: 'deny',
  policies: [],
  reason: 'the arguments are larger than policies can look at',
};
const NO_MATCH: Decision = { kind: 'deny', policies: [], reason: 'no policy permits it' };

/**
 * Decides with Cedar. Listing asks for a call without knowing its arguments: conditions on the context are then taken
 * as met by permits and as not met by forbids, so that a tool shows if some call of it could pass.
 */
export function createPolicyEngine(options: PolicyEngineOptions): PolicyEngine {
  return new CedarPolicyEngine(options);
}

class CedarPolicyEngine implements PolicyEngine {
  // The parsed sets live in the module of the policy library, which all engines of a process share.
  readonly #owner = randomUUID();
  readonly #clock: Clock;
  readonly #toolsetsOf: NonNullable<PolicyEngineOptions['toolsetsOf']>;
  readonly #accepted: AcceptedPolicies | undefined;
  #version = 0;
  #digest = '';
  #set: PolicySet = new Map();
  #slices = new Map<string, Slice>();
  #decisions = new Map<string, Decision>();
  #looksBack: boolean | undefined;
  /** The last one about each target: for as long as everything about a call is the same object, nothing has to be compared. */
  #latest = new WeakMap<PolicyQuestion['target'], Remembered>();

  constructor({ clock, toolsetsOf = () => NO_TOOLSETS, accepted }: PolicyEngineOptions) {
    this.#accepted = accepted;
    this.#clock = clock;
    this.#toolsetsOf = toolsetsOf;
  }

  get version(): number {
    return this.#version;
  }

  get digest(): string {
    return this.#digest;
  }

  get looksBack(): boolean {
    return (this.#looksBack ??= statementsOf(this.#set).some(({ usesSeen }) => usesSeen));
  }

  load(policies: readonly Policy[]): void {
    const digest = digestOf(policies);
    if (this.#accepted?.isKnown(judgedAs(digest)) === true)
      return this.#enforce(readSetLate(policies, this.#set), digest);
    const set = atOnce(this.#read(policies, digest));
    // After a start, like one with sets that it knows, there may be no decision for a long time.
    if (this.#accepted !== undefined && this.#version === 0) takeBackCedar();
    this.#enforce(set, digest);
  }

  async prepare(policies: readonly Policy[]): Promise<() => void> {
    const digest = digestOf(policies);
    const set = await inTurns(this.#read(policies, digest));
    return () => this.#enforce(set, digest);
  }

  #enforce(set: PolicySet, digest: string): void {
    this.#set = set;
    if (digest !== this.#digest) {
      this.#looksBack = undefined;
      this.#slices = new Map();
    }
    this.#digest = digest;
    this.#decisions = new Map();
    this.#latest = new WeakMap();
    this.#version++;
  }

  *#read(policies: readonly Policy[], digest: string): Steps<PolicySet> {
    if (this.#accepted === undefined) return yield* readSet(policies, this.#set, { passed: false });
    const judged = judgedAs(digest);
    const passed = this.#accepted.isKnown(judged);
    const set = yield* readSet(policies, this.#set, { passed });
    if (!passed) this.#accepted.remember(judged);
    return set;
  }

  decide(question: PolicyQuestion): Decision {
    const { agent, action, connector, target } = question;
    const toolsets = this.#toolsetsFor(question);
    // What is listed is asked about once for each list, by way of targets that are made for it.
    const latest = action === 'list' ? undefined : this.#latest.get(target);
    if (
      latest?.agent === agent &&
      latest.connector === connector &&
      latest.action === action &&
      latest.toolsets === toolsets
    )
      return latest.decision;
    const slice = this.#sliceFor(question.connector.id, question.action === 'list');
    if (slice.usesMoment) return this.#judge(slice, question);
    const decision = this.#recall(slice, question, toolsets);
    if (action !== 'list' && !slice.usesSeen)
      this.#latest.set(target, { agent, action, connector, toolsets, decision });
    return decision;
  }

  #recall(slice: Slice, question: PolicyQuestion, toolsets: readonly string[]): Decision {
    const like = cacheKey(question, slice.namedOffers, toolsets);
    const key = slice.usesSeen ? `after ${JSON.stringify(question.seen)}\n${like}` : like;
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const decision = this.#judge(slice, question);
    if (key.length > LONGEST_KEY) return decision;
    if (this.#decisions.size >= MAX_CACHED_DECISIONS) this.#decisions = new Map();
    this.#decisions.set(key, decision);
    return decision;
  }

  #sliceFor(connector: string, listing: boolean): Slice {
    const key = `${listing ? 'list' : 'use'}:${connector}`;
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const concerned = statementsOf(this.#set).filter(
      (statement) => statement.connector === undefined || statement.connector === connector,
    );
    const chosen = listing ? concerned.flatMap(forListing) : concerned;
    const slice: Slice = {
      // Cedar cannot forget a set but replaces one of the same name, so names are those of slots, not of versions.
      name: `${this.#owner}-${this.#slices.size}`,
      parsedBy: undefined,
      statements: new Map(chosen.map((statement) => [statement.id, statement])),
      usesMoment: chosen.some((statement) => statement.usesMoment),
      usesSeen: chosen.some((statement) => statement.usesSeen),
      namedOffers: joinNamed(chosen),
      argumentNames: joinArgumentNames(chosen.map((statement) => statement.argumentNames)),
    };
    libraryFor(slice);
    this.#slices.set(key, slice);
    return slice;
  }

  #toolsetsFor({ connector, target }: PolicyQuestion): readonly string[] {
    return target.kind === 'tool' ? this.#toolsetsOf(connector.id, target.name) : NO_TOOLSETS;
  }

  #judge(slice: Slice, question: PolicyQuestion): Decision {
    const decision = this.#evaluate(slice, question);
    const { seen = [] } = question;
    if (decision !== NO_MATCH || !slice.usesSeen || seen.length === 0) return decision;
    // It may be permitted only to who has not used something before.
    const atFirst = this.#evaluate(slice, { ...question, seen: [] });
    return atFirst.kind === 'deny' ? decision : toFlow(decision);
  }

  #evaluate(slice: Slice, question: PolicyQuestion): Decision {
    if (slice.statements.size === 0) return NO_MATCH;
    try {
      return this.#ask(slice, question);
    } catch (error) {
      if (error instanceof ArgumentsTooLarge) return TOO_LARGE;
      throw error;
    }
  }

  #ask(slice: Slice, question: PolicyQuestion): Decision {
    const { principal, resource, entities } = toCedarQuestion(question, this.#toolsetsFor(question));
    const { context, entities: contextEntities } = toCedarContext(
      question,
      this.#clock.now(),
      slice.argumentNames,
    );
    const library = libraryFor(slice);
    const ask = (action: string) =>
      library.statefulIsAuthorized({
        principal,
        resource,
        action: { type: 'Action', id: action },
        context,
        entities: [...entities, ...contextEntities],
        preparsedPolicySetId: slice.name,
      });
    const used = question.action === 'list' ? USE[question.target.kind] : question.action;
    const decision = toDecision(slice, ask(used));
    if (question.action !== 'list' || decision.kind === 'deny') return decision;
    const listed = toDecision(slice, ask('list'));
    // A permit to call is a permit to see; only an explicit forbid hides it.
    return listed.kind === 'deny' && listed.policies.length > 0 ? listed : decision;
  }
}

/** The policy library, which knows the statements of this slice. */
function libraryFor(slice: Slice): ReturnType<typeof cedar> {
  const library = cedar();
  if (slice.parsedBy?.deref() === library) return library;
  const staticPolicies = Object.fromEntries([...slice.statements].map(([id, { source }]) => [id, source]));
  const parsed = library.preparsePolicySet(slice.name, { staticPolicies });
  if (parsed.type === 'failure') throw new HubError('internal', 'a checked policy set could not be loaded');
  slice.parsedBy = new WeakRef(library);
  return library;
}

/** By what would judge them otherwise: another library or schema must look at them again. */
function judgedAs(digest: string): string {
  return createHash('sha256').update(`${cedarVersion()}\n${POLICY_SCHEMA}\n${digest}`).digest('base64url');
}

function digestOf(policies: readonly Policy[]): string {
  const texts = policies.map(({ id, text }) => JSON.stringify([id, text])).toSorted();
  return createHash('sha256').update(texts.join('\n')).digest('base64url');
}

function forListing(statement: Statement): Statement[] {
  if (!statement.usesContext) return [statement];
  if (statement.effect === 'forbid') return [];
  const anyhow = { usesContext: false, usesMoment: false, usesSeen: false };
  return [{ ...statement, ...anyhow, source: statement.anyContext }];
}

function toDecision(slice: Slice, answer: AuthorizationAnswer): Decision {
  if (answer.type === 'failure')
    return { kind: 'deny', policies: [], reason: 'the policies could not be evaluated' };
  const { decision, diagnostics } = answer.response;
  const failed = diagnostics.errors.map((error) => error.policyId);
  if (failed.length > 0)
    return { kind: 'deny', policies: failed, reason: `policy ${failed.join(', ')} failed to evaluate` };
  const policies = [...diagnostics.reason].toSorted();
  if (decision === 'deny') {
    if (policies.length === 0) return NO_MATCH;
    const denial: Decision = { kind: 'deny', policies, reason: `forbidden by ${policies.join(', ')}` };
    const forbids = policies.flatMap((id) => slice.statements.get(id) ?? []);
    if (forbids.every(({ usesSeen }) => usesSeen)) return toFlow(denial);
    return forbids.some(({ usesSeen }) => usesSeen) ? { ...denial, isPartlyFlow: true } : denial;
  }
  const asking = policies.find((id) => slice.statements.get(id)?.confirm !== undefined);
  if (asking === undefined) return { kind: 'allow', policies, reason: `permitted by ${policies.join(', ')}` };
  return {
    kind: 'confirm',
    policies,
    reason: slice.statements.get(asking)?.confirm || `${asking} asks for confirmation`,
  };
}

/** Which tags they were is not told: a policy names tags of other things too, and nobody could tell which ones counted. */
function toFlow(denial: Decision): Decision {
  const reason = `${denial.reason}, because of what this conversation has used before`;
  return { ...denial, reason, isFlow: true };
}

function joinNamed(statements: readonly Statement[]): NamedOffers {
  const all = new Set<string>();
  for (const { namedOffers } of statements) {
    if (namedOffers === 'any') return 'any';
    for (const name of namedOffers) all.add(name);
  }
  return all;
}

/** Everything a decision can depend on. All offers that are alike and not named by any policy share one decision. */
function cacheKey(question: PolicyQuestion, named: NamedOffers, toolsets: readonly string[]): string {
  const { agent, action, connector, target } = question;
  const { type, id } = resourceOf(question);
  const name = named === 'any' || named.has(`${type}::${id}`) ? `is ${id}` : '';
  const facts =
    target.kind === 'tool'
      ? `${target.risk}\n${keyOf(target.tags)}\n${flagsOf(target.annotations)}\n${keyOf(toolsets)}`
      : '';
  const scopes = agent.scopes === undefined ? '' : `with ${keyOf(agent.scopes)}`;
  return `${action}\n${agent.id}\n${keyOf(agent.tags)}\n${scopes}\n${connector.id}\n${keyOf(connector.tags)}\n${target.kind}\n${facts}\n${name}`;
}

/** No tag, whatever is in it, may look like two. */
function keyOf(texts: readonly string[]): string {
  return texts.length === 0 ? '' : JSON.stringify(texts);
}

function flagsOf({ readOnly, destructive, idempotent, openWorld }: ToolFlags): string {
  return `${readOnly}${destructive}${idempotent}${openWorld}`;
}
