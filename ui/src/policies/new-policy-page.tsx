import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { usePolicyWrites } from '../api/policies.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { IdField } from '../shared/field.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Page, Section } from '../shared/page.js';
import { PolicyBuilder } from './policy-builder.js';
import { PolicyEditor } from './policy-editor.js';

const route = getRouteApi('/policies/new');

export function NewPolicyPage() {
  const { agent, connector } = route.useSearch();
  const navigate = useNavigate();
  const mayDecide = useMay('owner');
  const { add } = usePolicyWrites();
  const [id, setId] = useState('');
  const [text, setText] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate(
      { id: id.trim(), text },
      { onSuccess: (policy) => void navigate({ to: '/policies/$id', params: { id: policy.id } }) },
    );
  }
  return (
    <Page title="Add a policy" lead="Say who may use what, or write it yourself.">
      {!mayDecide && <Notice tone="info">Only owners can add policies.</Notice>}
      <Section title="Give an agent access">
        <PolicyBuilder
          agent={agent}
          connector={connector}
          onWritten={(suggested, written) => {
            setId(suggested);
            setText(written);
          }}
        />
      </Section>
      <Section title="The policy">
        <form onSubmit={submit} className="grid gap-4">
          <div className="max-w-sm">
            <IdField label="Id" hint="Decisions name it, and it stays." value={id} onText={setId} />
          </div>
          <PolicyEditor
            text={text}
            onText={setText}
            problem={add.error !== null && <ProblemNotice error={add.error} />}
          />
          <div>
            <Button kind="primary" type="submit" busy={add.isPending} disabled={!mayDecide}>
              Check and save
            </Button>
          </div>
        </form>
      </Section>
    </Page>
  );
}
