import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { agentDetail, type AgentDetail } from '../api/agents.js';
import { recentEvents } from '../api/events.js';
import { toolsSeenBy } from '../api/tools.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { ButtonLink } from '../shared/button.js';
import { EventLine } from '../shared/event-line.js';
import { FailedPage, isLost } from '../shared/failed-page.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Loading, Page, Section } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { PlainLine } from '../shared/plain.js';
import { AgentAccounts } from './agent-accounts.js';
import { AgentKeys } from './agent-keys.js';
import { AgentSwitch } from './agent-switch.js';
import { ClientSetup } from './client-setup.js';

const route = getRouteApi('/agents/$id');

export function AgentPage() {
  const { id } = route.useParams();
  const { data, error } = useQuery(agentDetail(id));
  if (isLost(data, error)) return <FailedPage title={id} error={error} />;
  if (data === undefined) return <Loading what={id} />;
  return <Loaded key={id} agent={data.body} />;
}

function Loaded({ agent }: { readonly agent: AgentDetail }) {
  // A key that was just made, for the configurations below. It is gone with the page.
  const [secret, setSecret] = useState<string>();
  return (
    <Page
      title={toPlainLine(agent.name, 80)}
      name={<PlainLine text={agent.name} />}
      lead={
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>{agent.id}</span>
          <Badge tone={agent.enabled ? 'good' : 'plain'}>{agent.enabled ? 'enabled' : 'disabled'}</Badge>
          {agent.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
          {agent.source === 'built_in' && (
            <span>comes with the hub; its key is in local.token of the data folder</span>
          )}
          {agent.source === 'file' && <span>from the configuration file</span>}
        </p>
      }
    >
      <AgentKeys agent={agent} secret={secret} onSecret={setSecret} />
      <Section
        title="Connect a client"
        lead={
          secret === undefined
            ? 'Put a key where <key> stands.'
            : 'With the key that was just made. It is not shown again later.'
        }
      >
        <ClientSetup secret={secret} />
      </Section>
      <Seen agent={agent.id} />
      <AgentAccounts agent={agent} />
      <RecentCalls agent={agent.id} />
      {!agent.readOnly && <AgentSwitch agent={agent} />}
    </Page>
  );
}

function Seen({ agent }: { readonly agent: string }) {
  const { data, error } = useQuery(toolsSeenBy(agent));
  const mayDecide = useMay('owner');
  const count =
    data === undefined ? undefined : `${data.items.length}${data.nextCursor === undefined ? '' : ' or more'}`;
  return (
    <Section
      title="What it can use"
      actions={
        <>
          <ButtonLink small to="/tools" search={{ agent, access: 'can' }}>
            Show them
          </ButtonLink>
          <ButtonLink small to="/tools" search={{ agent, access: 'cannot' }}>
            Show what it cannot
          </ButtonLink>
          {mayDecide && (
            <ButtonLink small kind="primary" to="/policies/new" search={{ agent }}>
              Give access
            </ButtonLink>
          )}
        </>
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {data?.items.length === 0 ? (
        <Notice tone="warn">
          It sees no tools: no policy permits anything yet.{mayDecide && ' Give it access to begin.'}
        </Notice>
      ) : (
        <p>
          {count === undefined
            ? 'Loading…'
            : `${count} ${count === '1' ? 'tool' : 'tools'}, by the policies in force.`}
        </p>
      )}
    </Section>
  );
}

function RecentCalls({ agent }: { readonly agent: string }) {
  const { data: events } = useQuery(recentEvents({ agent }, 40));
  const calls = events
    ?.filter(({ type }) => type === 'call.finished' || type === 'call.refused')
    .slice(0, 10);
  return (
    <Section
      title="Recent calls"
      actions={
        <ButtonLink small to="/events" search={{ agent }}>
          All events
        </ButtonLink>
      }
    >
      {calls?.length === 0 && <p className="text-muted">None yet.</p>}
      <ul className="grid gap-1">
        {calls?.map((event) => (
          <li key={event.sequence}>
            <EventLine event={event} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
