import { ButtonLink } from '../shared/button.js';
import { EmptyState, Page } from '../shared/page.js';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no such page" action={<ButtonLink to="/">To the overview</ButtonLink>}>
        It may have been removed, or the address has a mistake.
      </EmptyState>
    </Page>
  );
}
