import type {
  Clause,
  EntityUidJson,
  Expr,
  Policy as CedarPolicy,
  PolicyJson,
  TypeAndId,
} from '@cedar-policy/cedar-wasm/nodejs';
import { HubError } from '../kernel/index.js';
import { cedar } from './cedar.js';
import { tellCedarErrors } from './cedar-problems.js';
import { toPieces, type Steps } from './policy-pieces.js';
import { argumentNames, type ArgumentNames } from './policy-arguments.js';
import { findEntanglement } from './policy-bounds.js';
import type { Policy } from './policy.js';

/** As `Tool::connector/name`. */
export type NamedOffers = ReadonlySet<string> | 'any';

/** One Cedar statement of a policy document. */
export interface Statement {
  /** Document and `@id` or position; what decisions name. */
  readonly id: string;
  /** As written: the JSON form cannot hold every integer. */
  readonly source: CedarPolicy;
  readonly effect: 'permit' | 'forbid';
  /** The same statement with everything it asks of the context taken as met. */
  readonly anyContext: PolicyJson;
  /** Set by the annotation `@confirm("why")` on a permit: whoever it lets through must be asked first. */
  readonly confirm: string | undefined;
  /** Whether the outcome depends on anything of the context. */
  readonly usesContext: boolean;
  /** On arguments or time, which differ from call to call. */
  readonly usesMoment: boolean;
  /** On what was used before. */
  readonly usesSeen: boolean;
  /** The tools, prompts and resources that it tells apart from others like them; `any` if that cannot be told. */
  readonly namedOffers: NamedOffers;
  /** The arguments it asks for. */
  readonly argumentNames: ArgumentNames;
  /** The only connector it can ever match, where its scope names one. */
  readonly connector: string | undefined;
}

/** Statements are told apart by the name of their document: of two alike one would be lost, which may be a forbid. */
export function requireDistinctDocuments(policies: readonly Policy[]): void {
  const documents = new Set<string>();
  for (const policy of policies) {
    if (documents.has(policy.id)) throw refuse(policy, ['another document has the same name']);
    documents.add(policy.id);
  }
}

/**
 * Throws like `readDocument` for what the schema does not ask for. Takes a fraction of the time, because only statements
 * with an annotation are read as a whole.
 */
export function* requireOwnRules(policy: Policy): Steps<void> {
  const ids: string[] = [];
  for (const text of yield* splitDocument(policy)) {
    const index = ids.length;
    if (text.includes('@')) {
      ids.push(toStatement(policy, text, index).id);
      yield;
    } else ids.push(`${policy.id}/${index + 1}`);
  }
  requireDistinct(policy, ids);
}

/**
 * Parses a document and checks it against the schema, unless it passed that before. Throws `config_invalid` naming the
 * document and what is wrong.
 */
export function* readDocument(policy: Policy, passed: boolean): Steps<readonly Statement[]> {
  const statements: Statement[] = [];
  for (const text of yield* splitDocument(policy)) {
    statements.push(toStatement(policy, text, statements.length));
    yield;
  }
  requireDistinct(
    policy,
    statements.map(({ id }) => id),
  );
  if (!passed) yield* checkAgainstSchema(policy);
  return statements;
}

function* splitDocument(policy: Policy): Steps<readonly string[]> {
  const entangled = findEntanglement(policy.text);
  if (entangled !== undefined) throw refuse(policy, [entangled]);
  const statements: string[] = [];
  for (const piece of toPieces(policy.text)) {
    const parts = cedar().policySetTextToParts(piece.text);
    if (parts.type === 'failure') {
      const told = yield* tellCedarErrors(policy.text);
      throw refuse(policy, told.length === 0 ? parts.errors.map((error) => error.message) : told);
    }
    if (parts.policy_templates.length > 0) throw refuse(policy, ['templates are not supported']);
    statements.push(...parts.policies);
    yield;
  }
  return statements;
}

function requireDistinct(policy: Policy, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) throw refuse(policy, [`two statements are called ${id}`]);
    seen.add(id);
  }
}

function toStatement(policy: Policy, text: string, index: number): Statement {
  const parsed = cedar().policyToJson(text);
  if (parsed.type === 'failure')
    throw refuse(
      policy,
      parsed.errors.map((error) => error.message),
    );
  const { json } = parsed;
  const annotations: Readonly<Record<string, string | null | undefined>> = json.annotations ?? {};
  const conditions = JSON.stringify(json.conditions);
  const use = contextUse(conditions);
  const confirm = annotations['confirm'];
  if (confirm !== undefined && json.effect !== 'permit')
    throw refuse(policy, ['@confirm belongs on a permit']);
  return {
    id: `${policy.id}/${annotations['id'] ?? String(index + 1)}`,
    source: text,
    effect: json.effect,
    anyContext: { ...json, conditions: json.conditions.flatMap(withoutContext) },
    confirm: confirm === undefined ? undefined : (confirm ?? ''),
    ...use,
    namedOffers: namedOffers(json),
    argumentNames: use.usesMoment ? argumentNames(json.conditions) : NO_NAMES,
    connector: connectorOf(json.resource),
  };
}

const NO_NAMES: ArgumentNames = new Set();
const CONTEXT = '{"Var":"context"}';

function mentionsContext(part: unknown): boolean {
  return JSON.stringify(part).includes(CONTEXT);
}

/** Of the context as a whole nobody can tell which part is meant, so it counts as every part. */
function contextUse(conditions: string): Pick<Statement, 'usesContext' | 'usesMoment' | 'usesSeen'> {
  const all = conditions.split(CONTEXT).length - 1;
  const parts = [...conditions.matchAll(/\{"left":\{"Var":"context"\},"attr":"(\w+)"\}/g)];
  const seen = parts.filter(([, attribute]) => attribute === 'seen').length;
  return { usesContext: all > 0, usesMoment: all > seen, usesSeen: all > parts.length || seen > 0 };
}

/**
 * Errs on the side of more: a literal entity may stand for anything, and `name` may be that of an offer. What is not
 * named differs from others only by what it belongs to and how it is described.
 */
function namedOffers({ resource, conditions }: PolicyJson): NamedOffers {
  const text = JSON.stringify(conditions);
  if (['"attr":"name"', '"attr":"uri"'].some((trace) => text.includes(trace))) return 'any';
  const named = new Set<string>();
  collectEntities(resource, named);
  if (text.includes('"__entity"')) collectEntities(conditions, named);
  return named;
}

/** All entities that stand anywhere in it, in either of the forms of writing one. */
function collectEntities(part: unknown, into: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  const { type, id } = part as { readonly type?: unknown; readonly id?: unknown };
  if (typeof type === 'string' && typeof id === 'string') into.add(`${type}::${id}`);
  for (const member of Object.values(part)) collectEntities(member, into);
}

/** Keeps what a clause asks of agent and resource. An `unless` on the context is dropped, a `when` is relaxed. */
function withoutContext(clause: Clause): Clause[] {
  if (!mentionsContext(clause)) return [clause];
  return clause.kind === 'unless' ? [] : [{ kind: 'when', body: relax(clause.body) }];
}

function relax(expression: Expr): Expr {
  if (!mentionsContext(expression)) return expression;
  if (!('&&' in expression)) return { Value: true };
  const { left, right } = (expression as { '&&': { left: Expr; right: Expr } })['&&'];
  return { '&&': { left: relax(left), right: relax(right) } };
}

/** `resource == Tool::"db/query"` and `resource in Connector::"db"` can only match offers of `db`. */
function connectorOf(resource: PolicyJson['resource']): string | undefined {
  if (!('entity' in resource)) return undefined;
  const entity = entityOf(resource.entity);
  if (entity.type === 'Connector') return entity.id;
  if (entity.type === 'Toolset') return undefined;
  return entity.id.includes('/') ? entity.id.slice(0, entity.id.indexOf('/')) : undefined;
}

function entityOf(entity: EntityUidJson): TypeAndId {
  return '__entity' in entity ? entity.__entity : entity;
}

function* checkAgainstSchema(policy: Policy): Steps<void> {
  const errors = yield* tellCedarErrors(policy.text);
  if (errors.length > 0) throw refuse(policy, errors);
}

function refuse(policy: Policy, errors: readonly string[]): HubError {
  return new HubError('config_invalid', `policy ${policy.id}: ${errors.join('; ')}`, {
    details: { policy: policy.id, errors },
  });
}
