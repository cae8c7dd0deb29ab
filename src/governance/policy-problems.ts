import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { isHubError, toPolicyId } from '../kernel/index.js';
import { cedar } from './cedar.js';
import { findEntanglement } from './policy-bounds.js';
import { requireOwnRules } from './policy-documents.js';
import { POLICY_SCHEMA } from './policy-schema.js';

/** Something wrong with the text of a policy. Lines and columns are counted from 1, columns in UTF-16 units. */
export interface PolicyProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** What might have been meant. */
  readonly help?: string;
  readonly place?: TextPlace;
}

export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

const MOST = 50;
/** Cedar names statements by their position; here the place says which. */
const STATEMENT = /^for policy `policy\d+`, |^failed to parse policies from string: /;

/** What a document would be refused for, or what in it can never do anything, and where. Nothing is put in force. */
export function findPolicyProblems(text: string): readonly PolicyProblem[] {
  const entangled = findEntanglement(text);
  if (entangled !== undefined) return [{ severity: 'error', message: entangled }];
  const answer = cedar().validate({
    schema: POLICY_SCHEMA,
    policies: { staticPolicies: text },
    validationSettings: { mode: 'strict' },
  });
  const toPlace = createPlaces(text);
  const tell = (error: DetailedError, severity: PolicyProblem['severity']): PolicyProblem => {
    const [location] = error.sourceLocations ?? [];
    const help = error.help ?? location?.label;
    return {
      severity,
      message: error.message.replace(STATEMENT, ''),
      ...(typeof help === 'string' && { help }),
      ...(location !== undefined && { place: toPlace(location.start, location.end) }),
    };
  };
  if (answer.type === 'failure') return answer.errors.slice(0, MOST).map((error) => tell(error, 'error'));
  const errors = answer.validationErrors.slice(0, MOST).map(({ error }) => tell(error, 'error'));
  const warnings = answer.validationWarnings.slice(0, MOST).map(({ error }) => tell(error, 'warning'));
  const all = [...(errors.length > 0 ? errors : rulesOfOurs(text)), ...warnings];
  return all.slice(0, MOST);
}

/** What Cedar takes and the hub does not. */
function rulesOfOurs(text: string): readonly PolicyProblem[] {
  const id = toPolicyId('text');
  try {
    requireOwnRules({ id, text, source: 'stored', version: 1, updatedAt: 0 });
    return [];
  } catch (error) {
    if (!isHubError(error, 'config_invalid')) throw error;
    const { errors } = error.details as { readonly errors: readonly string[] };
    return errors.map((message) => ({ severity: 'error', message }));
  }
}

/** Cedar counts bytes of UTF-8. */
function createPlaces(text: string): (start: number, end: number) => TextPlace {
  const bytes = Buffer.from(text);
  const at = (offset: number) => {
    const lines = bytes.toString('utf8', 0, offset).split('\n');
    return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  };
  return (start, end) => {
    const { line: endLine, column: endColumn } = at(end);
    return { ...at(start), endLine, endColumn };
  };
}
