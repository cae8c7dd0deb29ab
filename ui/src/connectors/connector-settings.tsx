import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnectorWrites, type ConnectorDetail } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { draftOf, toPatch } from './connector-draft.js';
import { ConnectorForm } from './connector-form.js';

const SOURCES = {
  file: 'It stands in the configuration file of the hub.',
  environment: 'It comes from the environment of the hub.',
  built_in: 'It comes with the hub, as long as there is no configuration of your own.',
  stored: '',
} as const;

/** Change it, switch it off, remove it. */
export function ConnectorSettings({
  connector,
  tag,
}: {
  readonly connector: ConnectorDetail;
  readonly tag: string | undefined;
}) {
  const mayRun = useMay('operator');
  const { change } = useConnectorWrites();
  const { id, readOnly, source } = connector;
  if (readOnly)
    return (
      <Notice tone="info">
        {SOURCES[source]} Change it there
        {source === 'file' && `, or with: crosspoint connector disable ${id}`}.
      </Notice>
    );
  if (!mayRun) return <Notice tone="info">Only operators and owners can change a connector.</Notice>;
  return (
    <>
      <Section title="Edit">
        <ConnectorForm
          key={connector.version}
          initial={draftOf(connector)}
          before={connector}
          submitLabel="Save"
          busy={change.isPending}
          problem={
            change.error !== null ? (
              <ProblemNotice error={change.error} />
            ) : (
              change.isSuccess && <Notice tone="good">Saved.</Notice>
            )
          }
          onSubmit={(draft) => change.mutate({ id, patch: toPatch(draft, connector), tag })}
        />
      </Section>
      <SwitchAndRemove connector={connector} />
    </>
  );
}

function SwitchAndRemove({ connector }: { readonly connector: ConnectorDetail }) {
  const navigate = useNavigate();
  const { change, remove } = useConnectorWrites();
  const [asking, setAsking] = useState<'disable' | 'remove'>();
  const { id, enabled } = connector;
  const close = () => setAsking(undefined);
  const setEnabled = (next: boolean) => change.mutate({ id, patch: { enabled: next } }, { onSuccess: close });
  return (
    <Section title={enabled ? 'Disable or remove' : 'Enable or remove'}>
      <div className="flex flex-wrap gap-2">
        {enabled ? (
          <Button onClick={() => setAsking('disable')}>Disable</Button>
        ) : (
          <Button kind="primary" busy={change.isPending} onClick={() => setEnabled(true)}>
            Enable
          </Button>
        )}
        <Button kind="danger" onClick={() => setAsking('remove')}>
          Remove
        </Button>
      </div>
      {change.error !== null && asking === undefined && <ProblemNotice error={change.error} />}
      {asking === 'disable' && (
        <ConfirmDialog
          title={`Disable ${id}?`}
          action="Disable"
          busy={change.isPending}
          problem={change.error !== null && <ProblemNotice error={change.error} />}
          onClose={close}
          onConfirm={() => setEnabled(false)}
        >
          Its tools disappear from every agent at once. Everything known of it stays, and it can be enabled
          again.
        </ConfirmDialog>
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title={`Remove ${id}?`}
          action="Remove for good"
          busy={remove.isPending}
          problem={remove.error !== null && <ProblemNotice error={remove.error} />}
          onClose={close}
          onConfirm={() => remove.mutate(id, { onSuccess: () => void navigate({ to: '/connectors' }) })}
        >
          Its tools, its credentials and everything known of it go. Events stay in the log. This cannot be
          undone.
        </ConfirmDialog>
      )}
    </Section>
  );
}
