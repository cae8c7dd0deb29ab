import { Link } from '@tanstack/react-router';
import type { EventView } from '../api/events.js';
import { Badge, type Tone } from './badge.js';
import { describeEvent } from './describe-event.js';
import { toPlainLine } from './plain-text.js';
import { ClockTime } from './time.js';

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  tool_error: 'bad',
  failed: 'bad',
  denied: 'warn',
  invalid: 'warn',
  cancelled: 'plain',
  outcome_unknown: 'bad',
};

export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  return <Badge tone={TONES[outcome] ?? 'plain'}>{outcome.replaceAll('_', ' ')}</Badge>;
}

/** One event in one line: when, who, what. */
export function EventLine({
  event,
  withDate = false,
}: {
  readonly event: EventView;
  readonly withDate?: boolean;
}) {
  const callId = typeof event['callId'] === 'string' ? event['callId'] : undefined;
  const outcome = typeof event['outcome'] === 'string' ? event['outcome'] : undefined;
  const text = toPlainLine(describeEvent(event), 300);
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <span className="mono shrink-0 text-muted">
        {withDate && `${event.at.slice(0, 10)} `}
        <ClockTime at={event.at} />
      </span>
      <span className="min-w-0 flex-1 basis-56 wrap-anywhere">
        {callId === undefined ? (
          text
        ) : (
          <Link to="/events/calls/$callId" params={{ callId }} className="hover:underline">
            {text}
          </Link>
        )}
      </span>
      {outcome !== undefined && <OutcomeBadge outcome={outcome} />}
    </span>
  );
}
