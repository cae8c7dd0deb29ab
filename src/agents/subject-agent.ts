import { createHash } from 'node:crypto';
import { isName } from '../kernel/index.js';
import type { SubjectRules, TokenClaims } from './token-issuer.js';

/** Which agent a token stands for, and whether it may be made if there is none. */
export interface SubjectAgent {
  readonly id: string;
  readonly name: string;
  /** Whether the operator named this agent, rather than whoever chose the claim. */
  readonly isMapped: boolean;
  /** Tags of a new one; undefined: it must be there already. */
  readonly tagsOfNew: readonly string[] | undefined;
}

/** Undefined where no rule fits. */
export function findSubjectAgent(
  issuer: string,
  rules: SubjectRules,
  { all }: Pick<TokenClaims, 'all'>,
): SubjectAgent | undefined {
  const values = valuesOf(all[rules.claim]);
  const mapped = values.find((value) => Object.hasOwn(rules.map, value));
  if (mapped !== undefined) return existing(rules.map[mapped] ?? '');
  // A list, such as of groups, names nobody in particular.
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined;
  const tagsOfNew = rules.automatic?.tags;
  if (rules.template !== undefined) {
    const id = rules.template.replaceAll('{value}', () => value);
    return isName(id) ? { id, name: displayName(all, value), isMapped: false, tagsOfNew } : undefined;
  }
  if (tagsOfNew === undefined) return undefined;
  const id = madeId(issuer, rules.claim, value);
  return { id, name: displayName(all, value), isMapped: false, tagsOfNew };
}

function existing(id: string): SubjectAgent {
  return { id, name: id, isMapped: true, tagsOfNew: undefined };
}

function valuesOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .filter((value) => value !== '');
}

/** Never a name that somebody could aim at: who chooses their own subject must not become an agent that is there. */
function madeId(issuer: string, claim: string, value: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, claim, value]))
    .digest('hex');
  return `oauth-${digest.slice(0, 24)}`;
}

const NAME_CLAIMS = ['name', 'preferred_username', 'email'];
const MAX_NAME = 200;

function displayName(claims: Readonly<Record<string, unknown>>, fallback: string): string {
  const named = NAME_CLAIMS.map((claim) => claims[claim]).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
  return (named ?? fallback).replaceAll(/\p{Cc}/gu, ' ').slice(0, MAX_NAME);
}
