import { useEffect, useRef, useState } from 'react';
import type { ConnectorAddition } from '../../../src/contract/index.js';
import { checkNewConnector, type CheckAnswer } from '../api/connectors.js';
import { Button } from '../shared/button.js';
import { ProblemNotice } from '../shared/notice.js';
import { CheckSteps } from './check-steps.js';

interface Attempt {
  /** What was tried: another one makes it worthless. */
  readonly subject: object;
  readonly steps: CheckAnswer['steps'];
  readonly state: 'running' | 'done';
  readonly error?: unknown;
}

export interface AdditionCheck {
  readonly attempt: Attempt | undefined;
  readonly run: (addition: ConnectorAddition) => void;
}

/** Tries the way to a server that is not added yet. `subject` is what is shown; when it changes, the outcome goes. */
export function useAdditionCheck(subject: object): AdditionCheck {
  const [attempt, setAttempt] = useState<Attempt>();
  const leave = useRef<AbortController>(undefined);
  useEffect(() => () => leave.current?.abort(), [subject]);
  function run(addition: ConnectorAddition): void {
    leave.current?.abort();
    const own = new AbortController();
    leave.current = own;
    const change = (next: (before: Attempt) => Attempt): void =>
      setAttempt((before) => (before === undefined || own.signal.aborted ? before : next(before)));
    setAttempt({ subject, steps: [], state: 'running' });
    checkNewConnector(addition, own.signal, (step) =>
      change((before) => ({ ...before, steps: [...before.steps, step] })),
    ).then(
      () => change((before) => ({ ...before, state: 'done' })),
      (error: unknown) => change((before) => ({ ...before, state: 'done', error })),
    );
  }
  return { attempt: attempt?.subject === subject ? attempt : undefined, run };
}

export function TestButton({
  check: { attempt },
  onClick,
  small = false,
}: {
  readonly check: AdditionCheck;
  readonly onClick: () => void;
  readonly small?: boolean;
}) {
  const busy = attempt?.state === 'running';
  return (
    <Button small={small} busy={busy} onClick={onClick}>
      {busy ? 'Testing…' : 'Test the connection'}
    </Button>
  );
}

/** Each step as it becomes known, and in the end whether it is worth adding. */
export function AttemptOutcome({ check: { attempt } }: { readonly check: AdditionCheck }) {
  return (
    <div aria-live="polite" className="empty:hidden">
      {attempt !== undefined && (
        <div className="panel grid gap-3 p-4">
          {attempt.steps.length > 0 && <CheckSteps steps={attempt.steps} />}
          {attempt.error !== undefined && <ProblemNotice error={attempt.error} />}
          {attempt.state === 'running' && <p className="text-muted">Trying the next step…</p>}
          {attempt.state === 'done' && attempt.error === undefined && (
            <p className="font-medium">
              {attempt.steps.some(({ state }) => state === 'failed')
                ? 'It does not work yet. It can be added anyway.'
                : 'The connection works.'}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
