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
import { argumentNames, type ArgumentNames } from './policy-arguments.js';
import { findEntanglement } from './policy-bounds.js';
import { POLICY_SCHEMA } from './policy-schema.js';
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

/**
 * Parses and checks documents against the schema, unless they passed that before. Throws `config_invalid` naming the
 * document and what is wrong.
 */
export function readPolicies(
  policies: readonly Policy[],
  { passed = false }: { readonly passed?: boolean } = {},
): readonly Statement[] {
  const documents = new Set<string>();
  for (const policy of policies) {
    // Statements are told apart by the name of their document: of two alike one would be lost, which may be a forbid.
    if (documents.has(policy.id)) throw refuse(policy, ['another document has the same name']);
    documents.add(policy.id);
  }
  return policies.flatMap((policy) => readDocument(policy, passed));
}

/**
 * Throws like `readPolicies` for what the schema does not ask for. Takes a fraction of the time, because only statements
 * with an annotation are read as a whole.
 */
export function requireOwnRules(policy: Policy): void {
  const ids = splitDocument(policy).map((text, index) =>
    text.includes('@') ? toStatement(policy, text, index).id : `${policy.id}/${index + 1}`,
  );
  requireDistinct(policy, ids);
}

function readDocument(policy: Policy, passed: boolean): Statement[] {
  const statements = splitDocument(policy).map((text, index) => toStatement(policy, text, index));
  requireDistinct(
    policy,
    statements.map(({ id }) => id),
  );
  if (!passed) checkAgainstSchema(policy, statements);
  return statements;
}

function splitDocument(policy: Policy): readonly string[] {
  const entangled = findEntanglement(policy.text);
  if (entangled !== undefined) throw refuse(policy, [entangled]);
  const parts = cedar().policySetTextToParts(policy.text);
  if (parts.type === 'failure')
    throw refuseText(
      policy,
      parts.errors.map((error) => error.message),
    );
  if (parts.policy_templates.length > 0) throw refuse(policy, ['templates are not supported']);
  return parts.policies;
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

function checkAgainstSchema(policy: Policy, statements: readonly Statement[]): void {
  const staticPolicies = Object.fromEntries(statements.map(({ id, source }) => [id, source]));
  const answer = cedar().validate({
    schema: POLICY_SCHEMA,
    policies: { staticPolicies },
    validationSettings: { mode: 'strict' },
  });
  const errors =
    answer.type === 'failure'
      ? answer.errors.map((error) => error.message)
      : answer.validationErrors.map(({ policyId, error }) => `${policyId}: ${error.message}`);
  if (errors.length > 0) throw refuseText(policy, errors);
}

/** Statements were looked at one by one; where in the document something is wrong, and what may be meant, the whole tells. */
function refuseText(policy: Policy, errors: readonly string[]): HubError {
  const told = tellCedarErrors(policy.text);
  return refuse(policy, told.length === 0 ? errors : told);
}

function refuse(policy: Policy, errors: readonly string[]): HubError {
  return new HubError('config_invalid', `policy ${policy.id}: ${errors.join('; ')}`, {
    details: { policy: policy.id, errors },
  });
}
