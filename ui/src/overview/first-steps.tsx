import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { agentList } from '../api/agents.js';
import { connectorList } from '../api/connectors.js';
import { recentEvents } from '../api/events.js';
import type { StatisticsView, StatusView } from '../api/status.js';
import { ButtonLink } from '../shared/button.js';
import { Section } from '../shared/page.js';

/** The way from an empty hub to the first call of a first agent. It goes away when it has been walked. */
export function FirstSteps({
  status,
  statistics,
}: {
  readonly status: StatusView;
  readonly statistics: StatisticsView;
}) {
  const { data: connectors } = useQuery(connectorList);
  const { data: agents } = useQuery(agentList);
  const { data: calls } = useQuery(recentEvents({ type: 'call.finished' }, 1));
  if (connectors === undefined || agents === undefined || calls === undefined) return null;
  const hasService = connectors.some(({ source }) => source !== 'built_in');
  const hasCalled = calls.length > 0 || statistics.total.calls > 0;
  const hasAgent = agents.some(({ source }) => source !== 'built_in');
  const hasPolicy = status.counts.policies > 1;
  if (hasService && hasCalled && hasAgent && hasPolicy) return null;
  const own = connectors.find(({ source }) => source !== 'built_in')?.id;
  const sample = connectors.find(({ source }) => source === 'built_in');
  const ownAgent = agents.find(({ source }) => source !== 'built_in')?.id;
  return (
    <Section title="First steps" lead="From here to an agent that uses a service, in five minutes.">
      <ol className="grid gap-4">
        <Step done={hasService} title="Connect a service">
          <p>By its address, or with the configuration you have in Claude, Cursor or VS Code.</p>
          <div className="flex flex-wrap gap-2">
            <ButtonLink small kind={hasService ? 'plain' : 'primary'} to="/connectors/new">
              Add a connector
            </ButtonLink>
            <ButtonLink small to="/connectors/new" search={{ way: 'paste' }}>
              Import a configuration
            </ButtonLink>
          </div>
        </Step>
        <Step done={hasCalled} title="Try a tool">
          <p>
            See what it offers and call something, without any client.
            {!hasService && sample !== undefined && ` ${sample.name} comes with the hub to try that.`}
          </p>
          <ButtonLink
            small
            kind={hasService && !hasCalled ? 'primary' : 'plain'}
            to="/tools"
            search={own === undefined ? {} : { connector: own }}
          >
            Choose a tool
          </ButtonLink>
        </Step>
        <Step done={hasAgent} title="Add an agent">
          <p>Give it a key, and paste the configuration into its client.</p>
          <ButtonLink small kind={hasCalled && !hasAgent ? 'primary' : 'plain'} to="/agents">
            Add an agent
          </ButtonLink>
        </Step>
        <Step done={hasPolicy} title="Say what it may use">
          <p>A new agent sees nothing until a policy permits it.</p>
          <ButtonLink
            small
            kind={hasAgent && !hasPolicy ? 'primary' : 'plain'}
            to="/policies/new"
            search={{
              ...(ownAgent !== undefined && { agent: ownAgent }),
              ...(own !== undefined && { connector: own }),
            }}
          >
            Give access
          </ButtonLink>
        </Step>
      </ol>
    </Section>
  );
}

function Step({
  done,
  title,
  children,
}: {
  readonly done: boolean;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="flex gap-3">
      <span
        aria-hidden
        className={`mt-0.5 flex size-5 shrink-0 items-center justify-center rounded-full border ${done ? 'border-good bg-good-soft text-good' : 'border-edge'}`}
      >
        {done && <Check className="size-3.5" />}
      </span>
      <div className="grid justify-items-start gap-1.5">
        <h3 className="font-medium">
          {title}
          {done && <span className="text-sm font-normal text-muted"> done</span>}
        </h3>
        {!done && children}
      </div>
    </li>
  );
}
