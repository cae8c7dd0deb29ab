import { useQuery } from '@tanstack/react-query';
import { callStory } from '../api/events.js';
import { ButtonLink } from '../shared/button.js';
import { Section } from '../shared/page.js';
import { toDuration } from '../shared/time.js';

/** How long the stages of a call took, and which policies let it through. */
export function CallFacts({ callId, ms }: { readonly callId: string; readonly ms: number }) {
  const { data: events = [] } = useQuery(callStory(callId));
  const intended = events.find(({ type }) => type === 'call.intended');
  const finished = events.find(({ type }) => type === 'call.finished');
  const upstream = typeof finished?.['durationMs'] === 'number' ? finished['durationMs'] : undefined;
  const policies = Array.isArray(intended?.['policies']) ? intended['policies'].map(String) : [];
  return (
    <Section
      title="Timing and decision"
      actions={
        <ButtonLink small to="/events/calls/$callId" params={{ callId }}>
          Whole story
        </ButtonLink>
      }
    >
      <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
        <dt className="text-muted">Round trip</dt>
        <dd>{toDuration(ms)}</dd>
        {upstream !== undefined && (
          <>
            <dt className="text-muted">Upstream</dt>
            <dd>{toDuration(upstream)}</dd>
            <dt className="text-muted">Hub and way here</dt>
            <dd>{toDuration(Math.max(0, ms - upstream))}</dd>
          </>
        )}
        {policies.length > 0 && (
          <>
            <dt className="text-muted">Allowed by</dt>
            <dd className="mono wrap-anywhere">{policies.join(', ')}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}
