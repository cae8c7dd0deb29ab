import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnectorWrites } from '../api/connectors.js';
import { useMay } from '../api/use-session.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Page } from '../shared/page.js';
import { Tabs } from '../shared/tabs.js';
import { NEW_DRAFT, toAddition } from './connector-draft.js';
import { ConnectorForm } from './connector-form.js';
import { PasteConfiguration } from './paste-configuration.js';

const route = getRouteApi('/connectors/new');
const WAYS = ['address', 'paste'];

export function NewConnectorPage() {
  const { way = 'address' } = route.useSearch();
  const navigate = route.useNavigate();
  const mayRun = useMay('operator');
  const { add } = useConnectorWrites();
  const [draft, setDraft] = useState(NEW_DRAFT);
  function submit(): void {
    add.mutate(toAddition(draft), {
      onSuccess: ({ id }) =>
        void navigate({ to: '/connectors/$id', params: { id }, search: { added: 'yes' } }),
    });
  }
  return (
    <Page
      title="Add a connector"
      lead="A service is added once; every agent that a policy permits can use it."
    >
      {!mayRun && (
        <div className="mb-4">
          <Notice tone="info">Only operators and owners can add connectors.</Notice>
        </div>
      )}
      <Tabs
        label="Ways to add"
        value={WAYS.includes(way) ? way : 'address'}
        onChange={(next) => void navigate({ search: { way: next }, replace: true })}
        views={[
          {
            id: 'address',
            label: 'By address',
            content: (
              <ConnectorForm
                draft={draft}
                onDraft={setDraft}
                submitLabel="Add and sync"
                busy={add.isPending}
                problem={add.error !== null && <ProblemNotice error={add.error} />}
                onSubmit={submit}
              />
            ),
          },
          { id: 'paste', label: 'Paste a configuration', content: <PasteConfiguration /> },
        ]}
      />
    </Page>
  );
}
