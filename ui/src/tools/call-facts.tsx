import type { CallStage } from '../api/tools.js';
import { ButtonLink } from '../shared/button.js';
import { DecisionBadge } from '../shared/decision-badge.js';
import { Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { toDuration } from '../shared/time.js';
import type { CallState, TimedStage } from './call-state.js';

const STAGES: Readonly<Record<CallStage, string>> = {
  lookup: 'Finding the tool',
  policy: 'Policy',
  confirmation: 'Confirmation',
  validation: 'Checking arguments',
  intent: 'Recording the intent',
  credential: 'Credential',
  connect: 'Connecting to the server',
  upstream: 'Answer of the server',
  guard: 'Checking the result',
  outcome: 'Recording the outcome',
};

/** What the policies said, and how long each stage took. */
export function CallFacts({ call }: { readonly call: CallState }) {
  const { callId, decision, stages, roundTripMs } = call;
  // The reason names most of them already.
  const unnamed = decision?.policies.filter((policy) => !decision.reason.includes(policy)) ?? [];
  return (
    <Section
      title="Timing and decision"
      actions={
        callId !== undefined &&
        call.phase !== 'running' && (
          <ButtonLink small to="/events/calls/$callId" params={{ callId }}>
            Whole story
          </ButtonLink>
        )
      }
    >
      {decision !== undefined && (
        <p className="mb-3 flex flex-wrap items-center gap-x-2 gap-y-1">
          <DecisionBadge decision={decision.decision} />
          <PlainLine text={decision.reason} most={300} />
          {unnamed.length > 0 && (
            <span className="mono text-sm text-muted wrap-anywhere">{unnamed.join(', ')}</span>
          )}
        </p>
      )}
      {stages.length > 0 && <Stages stages={stages} />}
      {roundTripMs !== undefined && (
        <p className="mt-2 text-sm text-muted">Round trip of this browser: {toDuration(roundTripMs)}</p>
      )}
    </Section>
  );
}

function Stages({ stages }: { readonly stages: readonly TimedStage[] }) {
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  const waited = stages.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  return (
    <table className="w-full text-left text-sm">
      <caption className="sr-only">Time of each stage</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Share</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {stages.map(({ stage, ms, waitedMs }, index) => (
          // A stage may come twice, and their order does not change.
          <tr key={index} className="border-t border-line first:border-0">
            <th scope="row" className="py-1 pr-3 font-normal text-muted">
              {STAGES[stage]}
            </th>
            <td className="w-1/3 py-1" aria-hidden>
              <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="block h-1.5 w-full">
                <rect width={total === 0 ? 0 : (100 * ms) / total} height="6" className="fill-accent" />
              </svg>
            </td>
            <td className="py-1 pl-3 text-right tabular-nums">
              <span className="whitespace-nowrap">{toDuration(ms)}</span>
              {waitedMs > 0 && (
                <span className="block text-muted">and {toDuration(waitedMs)} for an answer</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-t border-edge font-medium">
          <th scope="row" className="py-1 pr-3 font-medium">
            In the hub
          </th>
          <td />
          <td className="py-1 pl-3 text-right tabular-nums">
            {toDuration(total)}
            {waited > 0 && (
              <span className="block font-normal text-muted">without {toDuration(waited)} of waiting</span>
            )}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
