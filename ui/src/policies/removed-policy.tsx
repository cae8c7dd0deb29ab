import { useQueryClient } from '@tanstack/react-query';
import { policyDetail } from '../api/policies.js';
import { useMay } from '../api/use-session.js';
import { ButtonLink } from '../shared/button.js';
import { Notice } from '../shared/notice.js';
import { Page } from '../shared/page.js';
import { PolicyHistory } from './policy-history.js';

/** One that is not there any more, or never was. What it said may still be known. */
export function RemovedPolicy({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const mayDecide = useMay('owner');
  return (
    <Page title={id} actions={<ButtonLink to="/policies">All policies</ButtonLink>}>
      <div className="mb-4">
        <Notice tone="warn">There is no policy of this name now.</Notice>
      </div>
      <PolicyHistory
        id={id}
        text=""
        tag={undefined}
        mayRestore={mayDecide}
        onRestored={() => void client.resetQueries({ queryKey: policyDetail(id).queryKey })}
      />
    </Page>
  );
}
