import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAgentWrites, type AgentDetail } from '../api/agents.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';

/** Disable an agent, or remove it. */
export function AgentSwitch({ agent }: { readonly agent: AgentDetail }) {
  const navigate = useNavigate();
  const mayDecide = useMay('owner');
  const { change, remove } = useAgentWrites();
  const [asking, setAsking] = useState(false);
  const { id, enabled } = agent;
  if (!mayDecide) return null;
  return (
    <Section
      title={enabled ? 'Disable or remove' : 'Enable or remove'}
      lead={
        enabled
          ? 'A disabled agent is refused at once; its keys stay.'
          : 'Its clients are refused while it is disabled.'
      }
    >
      {change.error !== null && <ProblemNotice error={change.error} />}
      <div className="flex flex-wrap gap-2">
        <Button busy={change.isPending} onClick={() => change.mutate({ id, patch: { enabled: !enabled } })}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Remove
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={`Remove ${id}?`}
          action="Remove for good"
          busy={remove.isPending}
          problem={remove.error !== null && <ProblemNotice error={remove.error} />}
          onClose={() => setAsking(false)}
          // What it is told when it is done must not hang on this page: the agent it shows is gone by then.
          onConfirm={() => {
            remove.mutateAsync(id).then(
              () => navigate({ to: '/agents' }),
              () => undefined,
            );
          }}
        >
          Its keys and its credentials go with it. Events stay in the log. This cannot be undone.
        </ConfirmDialog>
      )}
    </Section>
  );
}
