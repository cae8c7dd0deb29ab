import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { policyDetail, usePolicyWrites, type PolicyView } from '../api/policies.js';
import { ApiError } from '../api/request.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { FailedPage, isLost } from '../shared/failed-page.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Loading, Page, Section } from '../shared/page.js';
import { ExactTime } from '../shared/time.js';
import { PolicyEditor } from './policy-editor.js';
import { PolicyHistory } from './policy-history.js';
import { RemovedPolicy } from './removed-policy.js';

const route = getRouteApi('/policies/$id');

export function PolicyPage() {
  const { id } = route.useParams();
  const { data, error } = useQuery(policyDetail(id));
  if (error instanceof ApiError && error.code === 'not_found') return <RemovedPolicy key={id} id={id} />;
  if (isLost(data, error)) return <FailedPage title={id} error={error} />;
  if (data === undefined) return <Loading what={id} />;
  return <Loaded key={id} policy={data.body} tag={data.tag} />;
}

function Loaded({ policy, tag }: { readonly policy: PolicyView; readonly tag: string | undefined }) {
  const mayDecide = useMay('owner');
  const navigate = useNavigate();
  const { save, remove } = usePolicyWrites();
  const { id, readOnly, source } = policy;
  const [text, setText] = useState(policy.text);
  // The version the text began with: what somebody else saved meanwhile must not be overwritten unseen.
  const [base, setBase] = useState({ version: policy.version, tag });
  const [asking, setAsking] = useState(false);
  const locked = readOnly || !mayDecide;
  const isOlder = policy.version !== base.version;
  // What was saved from here is what the text began with from now on.
  if (isOlder && text === policy.text) setBase({ version: policy.version, tag });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate({ id, text, tag: base.tag });
  }
  return (
    <Page
      title={id}
      lead={
        <>
          Version {policy.version}, <ExactTime at={policy.updatedAt} />
        </>
      }
      actions={
        !locked && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Remove
          </Button>
        )
      }
    >
      <Section title="Text">
        <form onSubmit={submit} className="grid gap-4">
          {readOnly && (
            <Notice tone="info">
              {source === 'file'
                ? 'It stands in a file of the operator; change it there.'
                : 'It comes with the hub. A forbid of your own takes away what it gives.'}
            </Notice>
          )}
          {isOlder && text !== policy.text && !save.isPending && (
            <Notice
              tone="warn"
              action={
                <Button
                  small
                  onClick={() => {
                    setText(policy.text);
                    setBase({ version: policy.version, tag });
                  }}
                >
                  Take theirs
                </Button>
              }
            >
              Somebody saved another version meanwhile.
            </Notice>
          )}
          <PolicyEditor
            text={text}
            readOnly={locked}
            onText={setText}
            problem={
              save.error !== null ? (
                <ProblemNotice error={save.error} />
              ) : (
                save.isSuccess && text === policy.text && <Notice tone="good">Saved, and in force.</Notice>
              )
            }
          />
          {!locked && (
            <div>
              <Button kind="primary" type="submit" busy={save.isPending} disabled={text === policy.text}>
                Check and save
              </Button>
            </div>
          )}
        </form>
      </Section>
      {source === 'stored' && (
        <PolicyHistory id={id} text={policy.text} tag={tag} mayRestore={mayDecide} onRestored={setText} />
      )}
      {asking && (
        <ConfirmDialog
          title={`Remove ${id}?`}
          action="Remove it"
          busy={remove.isPending}
          problem={remove.error !== null && <ProblemNotice error={remove.error} />}
          onClose={() => setAsking(false)}
          // What it is told when it is done must not hang on this page: the policy it shows is gone by then.
          onConfirm={() => {
            remove.mutateAsync(id).then(
              () => navigate({ to: '/policies' }),
              () => undefined,
            );
          }}
        >
          What only this policy permits is refused from then on, and what only it forbids is permitted. It can
          be restored from its history.
        </ConfirmDialog>
      )}
    </Page>
  );
}
