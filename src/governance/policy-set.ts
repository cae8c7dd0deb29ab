import { once, type PolicyId } from '../kernel/index.js';
import { readDocument, requireDistinctDocuments, type Statement } from './policy-documents.js';
import { atOnce, type Steps } from './policy-pieces.js';
import type { Policy } from './policy.js';

interface ReadDocument {
  readonly text: string;
  readonly statements: () => readonly Statement[];
}

/** The documents of a set, each of which is read once for as long as it stays in force unchanged. */
export type PolicySet = ReadonlyMap<PolicyId, ReadDocument>;

/** Reads what is not in the set of before. Throws `config_invalid` naming the document and what is wrong. */
export function* readSet(
  policies: readonly Policy[],
  before: PolicySet,
  options: { readonly passed: boolean },
): Steps<PolicySet> {
  requireDistinctDocuments(policies);
  const set = new Map<PolicyId, ReadDocument>();
  for (const policy of policies) {
    const known = findIn(before, policy);
    if (known !== undefined) set.set(policy.id, known);
    else {
      const statements = yield* readDocument(policy, options.passed);
      set.set(policy.id, { text: policy.text, statements: () => statements });
    }
  }
  return set;
}

/** What is not in the set of before is read when it is first asked for. Only for a set that was accepted before. */
export function readSetLate(policies: readonly Policy[], before: PolicySet): PolicySet {
  requireDistinctDocuments(policies);
  return new Map(
    policies.map((policy) => {
      const statements = once(() => atOnce(readDocument(policy, true)));
      return [policy.id, findIn(before, policy) ?? { text: policy.text, statements }];
    }),
  );
}

export function statementsOf(set: PolicySet): readonly Statement[] {
  return [...set.values()].flatMap(({ statements }) => statements());
}

function findIn(set: PolicySet, { id, text }: Policy): ReadDocument | undefined {
  const known = set.get(id);
  return known?.text === text ? known : undefined;
}
