import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnectorWrites, type ConnectorDetail, type ConnectorView } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { draftOf, mergeDrafts, toPatch, type ConnectorDraft } from './connector-draft.js';
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
        <Edit connector={connector} tag={tag} />
      </Section>
      <SwitchAndRemove connector={connector} />
    </>
  );
}

function Edit({ connector, tag }: { readonly connector: ConnectorView; readonly tag: string | undefined }) {
  const { change } = useConnectorWrites();
  // What the fields began with: nobody's change must be overwritten unseen, nor take away what is being typed.
  const [base, setBase] = useState({ connector, tag });
  const [draft, setDraft] = useState(() => draftOf(connector));
  function take(now: typeof base, next: ConnectorDraft): void {
    setBase(now);
    setDraft(next);
  }
  const isOlder = connector.version > base.connector.version && !change.isPending;
  const merged = isOlder ? mergeDrafts(draftOf(base.connector), draft, draftOf(connector)) : undefined;
  if (merged !== undefined) take({ connector, tag }, merged);
  return (
    <ConnectorForm
      draft={draft}
      onDraft={setDraft}
      before={base.connector}
      submitLabel="Save"
      busy={change.isPending}
      problem={
        isOlder && merged === undefined ? (
          <Notice
            tone="warn"
            action={
              <Button small onClick={() => take({ connector, tag }, draftOf(connector))}>
                Take theirs
              </Button>
            }
          >
            Somebody changed the same meanwhile. What you typed cannot be saved over it.
          </Notice>
        ) : change.error !== null ? (
          <ProblemNotice error={change.error} />
        ) : (
          change.isSuccess && <Notice tone="good">Saved.</Notice>
        )
      }
      onSubmit={() =>
        change.mutate(
          { id: connector.id, patch: toPatch(draft, base.connector), tag: base.tag },
          {
            onSuccess: (saved) => take({ connector: saved.body, tag: saved.tag }, draftOf(saved.body)),
          },
        )
      }
    />
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
          // What it is told when it is done must not hang on this page: the connector it shows is gone by then.
          onConfirm={() => {
            remove.mutateAsync(id).then(
              () => navigate({ to: '/connectors' }),
              () => undefined,
            );
          }}
        >
          Its tools, its credentials and everything known of it go. Events stay in the log. This cannot be
          undone.
        </ConfirmDialog>
      )}
    </Section>
  );
}
