import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { agentList, useAgentWrites, type AgentView } from '../api/agents.js';
import { callStatistics, type StatisticsView } from '../api/status.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { FormDialog } from '../shared/dialog.js';
import { IdField, TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading, Page } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { VirtualRows } from '../shared/virtual-rows.js';

export function AgentsPage() {
  const { data: agents, error } = useQuery(agentList);
  const { data: statistics } = useQuery(callStatistics);
  const mayDecide = useMay('owner');
  const [adding, setAdding] = useState(false);
  const addButton = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden className="size-4" />
      Add an agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      lead="Whoever calls tools through this hub. Each has its own keys and its own rights."
      actions={mayDecide && addButton}
    >
      {error !== null && <ProblemNotice error={error} />}
      {agents === undefined && error === null && <Loading what="agents" />}
      {agents?.length === 0 && <EmptyState title="There is no agent yet" action={mayDecide && addButton} />}
      {agents !== undefined && agents.length > 0 && (
        <VirtualRows
          label="Agents"
          items={agents}
          keyOf={({ id }) => id}
          rowHeight={64}
          render={(agent) => (
            <AgentRow agent={agent} share={statistics?.agents.find(({ id }) => id === agent.id)} />
          )}
        />
      )}
      {adding && <AddAgentDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function AgentRow({
  agent,
  share,
}: {
  readonly agent: AgentView;
  readonly share: StatisticsView['agents'][number] | undefined;
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <Link to="/agents/$id" params={{ id: agent.id }} className="font-medium hover:underline">
          <PlainLine text={agent.name} most={80} />
        </Link>
        <p className="text-sm text-muted">{agent.id}</p>
      </div>
      <div className="flex min-w-0 flex-wrap gap-1.5">
        {agent.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        <Badge tone={agent.enabled ? 'good' : 'plain'}>{agent.enabled ? 'enabled' : 'disabled'}</Badge>
      </div>
      <p className="w-44 text-sm text-muted sm:text-right">
        {share === undefined
          ? 'no calls in the last hour'
          : `${share.calls} ${share.calls === 1 ? 'call' : 'calls'} in the last hour${share.denied > 0 ? `, ${share.denied} denied` : ''}`}
      </p>
    </div>
  );
}

function AddAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const { add } = useAgentWrites();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [tags, setTags] = useState('');
  function submit(): void {
    const words = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    add.mutate(
      {
        id: id.trim(),
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(words.length > 0 && { tags: words }),
      },
      { onSuccess: (agent) => void navigate({ to: '/agents/$id', params: { id: agent.id } }) },
    );
  }
  return (
    <FormDialog
      title="Add an agent"
      action="Add"
      busy={add.isPending}
      problem={add.error !== null && <ProblemNotice error={add.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField
        label="Id"
        hint="Policies and events name it so, and it stays."
        placeholder="ci"
        value={id}
        onText={setId}
      />
      <TextField label="Name" hint="What people see." value={name} onText={setName} />
      <TextField label="Tags" hint="Words for policies, with commas between." value={tags} onText={setTags} />
    </FormDialog>
  );
}
