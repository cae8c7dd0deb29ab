import { ApiError } from '../api/request.js';
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

/**
 * Whether there is nothing to show: it never came, or it is gone. What came before stays while the hub is away, because
 * somebody may be typing into it, or have a key in front of them that is shown once.
 */
export function isLost(data: unknown, error: Error | null): error is Error {
  if (error === null) return false;
  return data === undefined || (error instanceof ApiError && error.code === 'not_found');
}
