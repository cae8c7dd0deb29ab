import { JsonNumber, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { Progress } from '../model/index.js';
import { withoutHopMeta } from '../wire/index.js';

/** What a progress notification says, and of which request of ours. */
export interface ToldProgress {
  readonly token: number;
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
  /** What else it says; undefined where that is nothing. */
  readonly others: JsonObject | undefined;
}

/** Undefined for what is no progress of a request of ours. */
export function readToldProgress(params: JsonObject | undefined): ToldProgress | undefined {
  if (params === undefined) return undefined;
  const { progressToken: token, progress: far, total, message, ...others } = withoutHopMeta(params);
  const progress = toNumber(far);
  if (typeof token !== 'number' || progress === undefined) return undefined;
  return {
    token,
    progress,
    total: toNumber(total),
    message: typeof message === 'string' ? message : undefined,
    others: Object.keys(others).length === 0 ? undefined : others,
  };
}

/** Some writers use more digits than a double has. How far something is need not be known that exactly. */
function toNumber(value: Json | undefined): number | undefined {
  if (value instanceof JsonNumber) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

export function toProgress(
  progress: number,
  total: number | undefined,
  message: string | undefined,
  others: JsonObject | undefined,
): Progress {
  if (others !== undefined) return { ...toProgress(progress, total, message, undefined), ...others };
  if (message !== undefined)
    return total === undefined ? { progress, message } : { progress, total, message };
  return total === undefined ? { progress } : { progress, total };
}
