import { useQuery } from '@tanstack/react-query';
import { connectorTools, type ConnectorDetail } from '../api/connectors.js';
import { recentEvents } from '../api/events.js';
import { ButtonLink } from '../shared/button.js';
import { EventLine } from '../shared/event-line.js';
import { useMay } from '../api/use-session.js';
import { ConnectionCheck } from './connection-check.js';
import { ProcessLog } from './process-log.js';
import { Fact } from '../shared/fact.js';
import { Section } from '../shared/page.js';
import { ExactTime } from '../shared/time.js';
import { Differences } from './sync-outcome.js';

/** How its health and its tools changed. */
export function ConnectorStory({ connector }: { readonly connector: ConnectorDetail }) {
  const { id, health, sync } = connector;
  const mayRun = useMay('operator');
  const mayDecide = useMay('owner');
  const { data: offered } = useQuery(connectorTools(id));
  const { data: changes = [] } = useQuery(recentEvents({ connector: id, type: 'connector.health' }));
  const { data: events = [] } = useQuery(recentEvents({ connector: id }, 10));
  return (
    <>
      <Section title="Now">
        <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_1fr]">
          <Fact label="Health">
            {health.state}
            {health.since !== undefined && (
              <>
                {' '}
                since <ExactTime at={health.since} />
              </>
            )}
          </Fact>
          {health.checkedAt !== undefined && (
            <Fact label="Checked">
              <ExactTime at={health.checkedAt} />
            </Fact>
          )}
          {health.traffic.breaker === 'open' && (
            <Fact label="Calls">fail at once, after {health.traffic.failures} failures in a row</Fact>
          )}
          {health.instance !== undefined && (
            <Fact label="Seen by">instance {health.instance}; others may reach it or not</Fact>
          )}
          {sync !== null && (
            <>
              <Fact label="Server">
                {sync.upstream.name} {sync.upstream.version}
              </Fact>
              <Fact label="Protocol">
                {sync.upstream.era}, {sync.upstream.revision}
              </Fact>
              <Fact label="Offers">
                {sync.tools} tools, {sync.prompts} prompts, {sync.resources} resources
              </Fact>
              <Fact label="Listed as">{sync.listedAs}</Fact>
            </>
          )}
        </dl>
      </Section>
      <Section title="Health">
        {changes.length === 0 && <p className="text-muted">No change of health is in the log.</p>}
        <ul className="grid gap-1">
          {changes.map((event) => (
            <li key={event.sequence}>
              <EventLine event={event} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Changes of what it offers">
        {offered?.history.length === 0 && (
          <p className="text-muted">Nothing has changed since the first sync.</p>
        )}
        <ul className="grid gap-3">
          {offered?.history.map((entry) => (
            <li key={`${entry.takenAt} ${entry.hash}`}>
              <p className="text-sm text-muted">
                <ExactTime at={entry.takenAt} />
              </p>
              {entry.added.length + entry.removed.length + entry.changed.length === 0 ? (
                <p className="text-sm">Only what it says of itself is different.</p>
              ) : (
                <Differences {...entry} />
              )}
            </li>
          ))}
        </ul>
      </Section>
      {connector.transport !== 'stdio' && mayDecide && <ConnectionCheck connector={connector} />}
      {connector.transport === 'stdio' && mayRun && <ProcessLog id={id} />}
      <Section
        title="Latest events"
        actions={
          <ButtonLink small to="/events" search={{ connector: id }}>
            All events
          </ButtonLink>
        }
      >
        <ul className="grid gap-1">
          {events.map((event) => (
            <li key={event.sequence}>
              <EventLine event={event} />
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
