import { useState } from 'react';
import { useAgentWrites, type AgentDetail, type AgentKeyView } from '../api/agents.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { Code } from '../shared/code.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { Ago, ExactTime } from '../shared/time.js';

/** The keys of an agent. A new one is shown once, and never again. */
export function AgentKeys({
  agent,
  secret,
  onSecret,
}: {
  readonly agent: AgentDetail;
  readonly secret: string | undefined;
  readonly onSecret: (secret: string | undefined) => void;
}) {
  const mayDecide = useMay('owner') && !agent.readOnly;
  const { addKey } = useAgentWrites();
  const [showing, setShowing] = useState(false);
  const [revoking, setRevoking] = useState<AgentKeyView>();
  const make = () =>
    addKey.mutate(
      { id: agent.id },
      {
        onSuccess: ({ key }) => {
          onSecret(key);
          setShowing(true);
          addKey.reset();
        },
      },
    );
  return (
    <Section
      title="Keys"
      lead="A client shows a key to prove it is this agent."
      actions={
        mayDecide && (
          <Button
            kind={agent.keys.length === 0 ? 'primary' : 'plain'}
            small
            busy={addKey.isPending}
            onClick={make}
          >
            Make a key
          </Button>
        )
      }
    >
      {addKey.error !== null && <ProblemNotice error={addKey.error} />}
      {agent.keys.length === 0 && (
        <p className="text-muted">It has no key yet, so nobody can call as this agent.</p>
      )}
      <ul className="divide-y divide-line" aria-label="Keys">
        {agent.keys.map((key) => (
          <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
            <span className="mono flex-1 basis-40">…{key.last4}</span>
            <span className="text-sm text-muted">
              made <Ago at={key.createdAt} />
              {key.expiresAt !== undefined && (
                <>
                  , ends <ExactTime at={key.expiresAt} />
                </>
              )}
            </span>
            {key.expiresAt !== undefined && Date.parse(key.expiresAt) < Date.now() && (
              <Badge tone="bad">expired</Badge>
            )}
            {mayDecide && (
              <Button small kind="danger" onClick={() => setRevoking(key)}>
                Revoke<span className="sr-only"> the key that ends in {key.last4}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {showing && secret !== undefined && (
        <Dialog title="The new key" onClose={() => setShowing(false)}>
          <p className="mb-3">
            Copy it now: it is shown this once. The hub keeps only what it needs to recognise it.
          </p>
          <Code text={secret} label="The new key" />
          <div className="mt-4 flex justify-end">
            <Button kind="primary" onClick={() => setShowing(false)}>
              I have it
            </Button>
          </div>
        </Dialog>
      )}
      {revoking !== undefined && (
        <RevokeDialog
          agent={agent.id}
          shown={revoking}
          onRevoked={() => {
            if (secret?.endsWith(revoking.last4) === true) onSecret(undefined);
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </Section>
  );
}

function RevokeDialog({
  agent,
  shown,
  onRevoked,
  onClose,
}: {
  readonly agent: string;
  readonly shown: AgentKeyView;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}) {
  const { revokeKey } = useAgentWrites();
  return (
    <ConfirmDialog
      title={`Revoke the key that ends in ${shown.last4}?`}
      action="Revoke it"
      busy={revokeKey.isPending}
      problem={revokeKey.error !== null && <ProblemNotice error={revokeKey.error} />}
      onClose={onClose}
      onConfirm={() =>
        revokeKey.mutate(
          { id: agent, keyId: shown.id },
          {
            onSuccess: () => {
              onRevoked();
              onClose();
            },
          },
        )
      }
    >
      Clients that use it are refused from the next request on. This cannot be undone.
    </ConfirmDialog>
  );
}
