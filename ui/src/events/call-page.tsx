import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { callStory, type EventView } from '../api/events.js';
import { ButtonLink } from '../shared/button.js';
import { JsonCode } from '../shared/code.js';
import { actorOf } from '../shared/describe-event.js';
import { OutcomeBadge } from '../shared/event-line.js';
import { Fact } from '../shared/fact.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading, Page, Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { ExactTime, toDuration } from '../shared/time.js';

const route = getRouteApi('/events/calls/$callId');

/** Everything one call left in the log. */
export function CallPage() {
  const { callId } = route.useParams();
  const { data: events, error } = useQuery(callStory(callId));
  const facts: Readonly<Record<string, unknown>> = Object.fromEntries(
    (events ?? []).flatMap((event) => Object.entries(event)),
  );
  const name = wordOf(facts['exposedName']);
  return (
    <Page
      title="Call"
      name={name === undefined ? 'Call' : <PlainLine text={`Call of ${name}`} most={120} />}
      lead={<span className="mono">{callId}</span>}
    >
      {error !== null && <ProblemNotice error={error} />}
      {events === undefined && error === null && <Loading what="the call" />}
      {events?.length === 0 && (
        <EmptyState
          title="Nothing is known of this call"
          action={<ButtonLink to="/events">To the events</ButtonLink>}
        >
          Old events may have been removed, as the operator configured.
        </EmptyState>
      )}
      {events !== undefined && events.length > 0 && (
        <>
          <Summary events={events} facts={facts} />
          <Section title="Steps">
            <ol className="grid gap-4">
              {events.map((event) => (
                <li key={event.sequence} className="border-l-2 border-line pl-4">
                  <Step event={event} />
                </li>
              ))}
            </ol>
          </Section>
        </>
      )}
    </Page>
  );
}

function Summary({
  events,
  facts,
}: {
  readonly events: readonly EventView[];
  readonly facts: Readonly<Record<string, unknown>>;
}) {
  const [first] = events;
  const connector = wordOf(facts['connector']);
  const agent = first?.actor.kind === 'agent' ? wordOf(first.actor['id']) : undefined;
  const outcome = wordOf(facts['outcome']);
  const trace = wordOf(facts['trace']);
  const duration = facts['durationMs'];
  const bytes = facts['resultBytes'];
  const policies = Array.isArray(facts['policies']) ? facts['policies'].map(String) : [];
  return (
    <Section title="In short">
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]">
        <Fact label="Outcome">
          {outcome === undefined ? 'still under way' : <OutcomeBadge outcome={outcome} />}
        </Fact>
        {wordOf(facts['error']) !== undefined && <Fact label="Error">{wordOf(facts['error'])}</Fact>}
        {first !== undefined && (
          <Fact label="Who">
            {agent === undefined ? (
              actorOf(first)
            ) : (
              <Link to="/agents/$id" params={{ id: agent }} className="text-accent underline">
                {actorOf(first)}
              </Link>
            )}
          </Fact>
        )}
        {policies.length > 0 && (
          <Fact label="Decided by">
            <span className="mono">{policies.join(', ')}</span>
          </Fact>
        )}
        {connector !== undefined && (
          <Fact label="Connector">
            <Link to="/connectors/$id" params={{ id: connector }} className="text-accent underline">
              {connector}
            </Link>
          </Fact>
        )}
        <Fact label="What">
          {wordOf(facts['method'])} <PlainLine text={wordOf(facts['target']) ?? ''} className="mono" />
        </Fact>
        {typeof duration === 'number' && <Fact label="Took">{toDuration(duration)} from intent to end</Fact>}
        {typeof bytes === 'number' && <Fact label="Result">{bytes} bytes</Fact>}
        {trace !== undefined && (
          <Fact label="Trace">
            <PlainLine text={trace} className="mono" />
          </Fact>
        )}
      </dl>
    </Section>
  );
}

const STEPS: Readonly<Record<string, string>> = {
  'call.intended': 'Permitted, and written down before it left the hub',
  'call.finished': 'Ended',
  'call.refused': 'Refused before it was made',
  'call.repeated': 'Sent again: not made again, and answered as before',
};

function Step({ event }: { readonly event: EventView }) {
  const recorded = event['arguments'] as { readonly bytes?: number } | undefined;
  const warnings = Array.isArray(event['warnings']) ? event['warnings'].map(String) : [];
  return (
    <>
      <p className="font-medium">{STEPS[event.type] ?? event.type}</p>
      <p className="text-sm text-muted">
        <ExactTime at={event.at} /> · {event.type} · number {event.sequence}
      </p>
      {recorded?.bytes !== undefined && (
        <p>Arguments of {recorded.bytes} bytes; the log keeps no more than their hash.</p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-warn">
          <PlainLine text={warning} />
        </p>
      ))}
      <details className="mt-1">
        <summary className="text-sm text-muted">As it is kept</summary>
        <div className="mt-2">
          <JsonCode value={event} label={`Event ${event.sequence}`} tall />
        </div>
      </details>
    </>
  );
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
