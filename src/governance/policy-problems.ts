import { isHubError, toPolicyId } from '../kernel/index.js';
import { findCedarProblems, MOST, type PolicyProblem } from './cedar-problems.js';
import { findEntanglement } from './policy-bounds.js';
import { requireOwnRules } from './policy-documents.js';
import { inTurns, type Steps } from './policy-pieces.js';

/** What a document would be refused for, or what in it can never do anything, and where. Nothing is put in force. */
export function findPolicyProblems(text: string): Promise<readonly PolicyProblem[]> {
  return inTurns(problemsIn(text));
}

function* problemsIn(text: string): Steps<readonly PolicyProblem[]> {
  const entangled = findEntanglement(text);
  if (entangled !== undefined) return [{ severity: 'error', message: entangled }];
  const found = yield* findCedarProblems(text);
  const ours = found.some(({ severity }) => severity === 'error') ? [] : yield* rulesOfOurs(text);
  return [...ours, ...found].slice(0, MOST);
}

/** What Cedar takes and the hub does not. */
function* rulesOfOurs(text: string): Steps<readonly PolicyProblem[]> {
  const id = toPolicyId('text');
  try {
    yield* requireOwnRules({ id, text, source: 'stored', version: 1, updatedAt: 0 });
    return [];
  } catch (error) {
    if (!isHubError(error, 'config_invalid')) throw error;
    const { errors } = error.details as { readonly errors: readonly string[] };
    return errors.map((message) => ({ severity: 'error', message }));
  }
}
