import { ProblemNotice } from '../shared/notice.js';
import { Page } from '../shared/page.js';

export function ErrorPage({ error }: { readonly error: unknown }) {
  return (
    <Page title="Something went wrong">
      <ProblemNotice error={error} />
    </Page>
  );
}
