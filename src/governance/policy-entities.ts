import type { CedarValueJson, Context, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { Json } from '../mcp/jsonrpc/index.js';
import { JsonNumber } from '../mcp/jsonrpc/index.js';
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

const HALF = /\p{Surrogate}/gu;

/** Cedar takes UTF-8, which has nothing for half a surrogate pair. It sees what others make of one. */
function whole(text: string): string {
  return text.replaceAll(HALF, '\ufffd');
}

/** Arguments as tags of two entities, because Cedar wants every attribute declared and arguments are not ours to declare. */
export function toCedarContext(
  { args, seen }: Pick<PolicyQuestion, 'args' | 'seen'>,
  time: number,
): { context: Context; entities: EntityJson[] } {
  const now = { __extn: { fn: 'datetime', arg: new Date(time).toISOString() } };
  const before: Context = seen === undefined ? { now } : { now, seen: [...seen] };
  if (args === undefined) return { context: before, entities: [] };
  const texts: Record<string, CedarValueJson> = Object.create(null) as Record<string, CedarValueJson>;
  const numbers: Record<string, CedarValueJson> = Object.create(null) as Record<string, CedarValueJson>;
  flatten(args, undefined, texts, numbers);
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

function flatten(
  value: Json,
  path: string | undefined,
  texts: Record<string, CedarValueJson>,
  numbers: Record<string, CedarValueJson>,
): void {
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) {
    for (const [key, member] of Object.entries(value)) {
      // A dot in a key is written `\.`, else {"a.b": 1} could stand in front of {"a": {"b": 2}}.
      const part = whole(key).replaceAll(/[.\\]/g, '\\$&');
      if (member !== undefined)
        flatten(member, path === undefined ? part : `${path}.${part}`, texts, numbers);
    }
    return;
  }
  if (path === undefined) return;
  texts[path] = value instanceof JsonNumber ? value.text : whole(String(value));
  if (typeof value === 'number' && Number.isSafeInteger(value)) numbers[path] = value;
}
