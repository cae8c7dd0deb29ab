import type { ToolEntry } from '../catalog/index.js';
import { guardResult, type Validator } from '../governance/index.js';
import { HubError } from '../kernel/index.js';
import { isObject } from '../mcp/jsonrpc/index.js';
import type { CallResult } from '../mcp/model/index.js';

export interface GuardAnswerDependencies {
  readonly validator: Validator;
  readonly outputCheck: 'off' | 'warn' | 'refuse';
}

export interface Guarded {
  readonly result: CallResult;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** Where the hub says what it changed or noticed. */
const WARNINGS = 'crosspoint/warnings';

/** Size, and where a tool promises a shape, that shape. */
export function guardAnswer(
  deps: GuardAnswerDependencies,
  { connector, tool }: ToolEntry,
  answer: CallResult,
): Guarded {
  const { result, bytes, warnings, tooLarge } = guardResult(answer, connector.limits.resultBytes);
  if (tooLarge)
    throw new HubError(
      'result_too_large',
      `The result has ${bytes} bytes; ${connector.limits.resultBytes} are allowed`,
    );
  const problems = deps.outputCheck === 'off' ? [] : outputProblems(deps.validator, tool, answer);
  if (problems.length > 0 && deps.outputCheck === 'refuse') {
    throw new HubError(
      'output_invalid',
      `The upstream's result does not match its own schema: ${problems.join('; ')}`,
    );
  }
  if (warnings.length === 0 && problems.length === 0) return { result, bytes, warnings };
  const all = [...warnings, ...problems.map((problem) => `output schema: ${problem}`)];
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return { result: { ...result, _meta: { ...meta, [WARNINGS]: all } }, bytes, warnings: all };
}

function outputProblems(
  validator: Validator,
  { outputSchema }: ToolEntry['tool'],
  answer: CallResult,
): readonly string[] {
  if (outputSchema === undefined || answer.isError === true) return [];
  return answer.structuredContent === undefined
    ? ['structured content is missing']
    : validator.problems(outputSchema, answer.structuredContent, 'structuredContent');
}
