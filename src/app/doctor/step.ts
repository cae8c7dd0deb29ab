/** One thing that must work before a call can reach an upstream. */
export interface Step {
  readonly step: 'command' | 'dns' | 'tcp' | 'tls' | 'http' | 'era' | 'auth' | 'list' | 'calls';
  readonly state: 'ok' | 'failed' | 'skipped';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export function ok(step: Step['step'], detail: string, advice?: string): Step {
  return { step, state: 'ok', detail, ...(advice !== undefined && { advice }) };
}

export function failed(step: Step['step'], detail: string, advice: string): Step {
  return { step, state: 'failed', detail, advice };
}

export function skipped(step: Step['step'], detail: string): Step {
  return { step, state: 'skipped', detail };
}
