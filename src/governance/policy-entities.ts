import type { CedarValueJson, Context, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { flattenArguments, whole, type ArgumentNames } from './policy-arguments.js';
import type { PolicyQuestion, PolicyTarget } from './policy.js';

/** A question in Cedar's terms. */
export interface CedarQuestion {
  readonly principal: TypeAndId;
  readonly resource: TypeAndId;
  readonly entities: EntityJson[];
}

export function toCedarQuestion(question: PolicyQuestion, toolsets: readonly string[]): CedarQuestion {
  const principal = { type: 'Agent', id: question.agent.id };
  const connector = { type: 'Connector', id: question.connector.id };
  const resource = resourceOf(question);
  const parents =
    question.target.kind === 'tool'
      ? [connector, ...toolsets.map((id) => ({ type: 'Toolset', id }))]
      : [connector];
  return {
    principal,
    resource,
    entities: [
      { uid: principal, attrs: agentAttributes(question.agent), parents: [] },
      { uid: connector, attrs: { tags: [...question.connector.tags] }, parents: [] },
      { uid: resource, attrs: attributesOf(question.target), parents },
      ...toolsets.map((id) => ({ uid: { type: 'Toolset', id }, attrs: {}, parents: [] })),
    ],
  };
}

function agentAttributes({ tags, scopes }: PolicyQuestion['agent']): Record<string, CedarValueJson> {
  return { tags: [...tags], ...(scopes !== undefined && { scopes: [...scopes] }) };
}

export function resourceOf({ connector, target }: PolicyQuestion): TypeAndId {
  switch (target.kind) {
    case 'tool':
      return { type: 'Tool', id: `${connector.id}/${whole(target.name)}` };
    case 'prompt':
      return { type: 'Prompt', id: `${connector.id}/${whole(target.name)}` };
    case 'resource':
      return { type: 'Resource', id: `${connector.id}/${whole(target.uri)}` };
  }
}

function attributesOf(target: PolicyTarget): Record<string, CedarValueJson> {
  switch (target.kind) {
    case 'tool':
      return { name: whole(target.name), risk: target.risk, tags: [...target.tags], ...target.annotations };
    case 'prompt':
      return { name: whole(target.name) };
    case 'resource':
      return { uri: whole(target.uri) };
  }
}

/**
 * Arguments as tags of two entities, because Cedar wants every attribute declared and arguments are not ours to declare. Throws
 * `ArgumentsTooLarge`.
 */
export function toCedarContext(
  { args, seen }: Pick<PolicyQuestion, 'args' | 'seen'>,
  time: number,
  names: ArgumentNames,
): { context: Context; entities: EntityJson[] } {
  const now = { __extn: { fn: 'datetime', arg: new Date(time).toISOString() } };
  const before: Context = seen === undefined ? { now } : { now, seen: [...seen] };
  if (args === undefined) return { context: before, entities: [] };
  const { texts, numbers } = flattenArguments(args, names);
  const argsId = { type: 'Arguments', id: 'call' };
  const numbersId = { type: 'Numbers', id: 'call' };
  return {
    context: { ...before, args: { __entity: argsId }, numbers: { __entity: numbersId } },
    entities: [
      { uid: argsId, attrs: {}, parents: [], tags: texts },
      { uid: numbersId, attrs: {}, parents: [], tags: numbers },
    ],
  };
}
