import { ProblemNotice } from './notice.js';
import { Page } from './page.js';

/** In the place of a page whose content could not be had. */
export function FailedPage({ title, error }: { readonly title: string; readonly error: Error }) {
  return (
    <Page title={title}>
      <ProblemNotice error={error} />
    </Page>
  );
}
