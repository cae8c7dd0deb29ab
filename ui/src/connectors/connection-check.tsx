import { useConnectorWrites, type ConnectorDetail } from '../api/connectors.js';
import { Button } from '../shared/button.js';
import { ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { CheckSteps } from './check-steps.js';

/** Tries the way to the server, one step after another. */
export function ConnectionCheck({ connector }: { readonly connector: ConnectorDetail }) {
  const { check } = useConnectorWrites();
  return (
    <Section
      title="Test the connection"
      lead="From the name of the server to the list of its tools, without a credential."
      actions={
        <Button small busy={check.isPending} onClick={() => check.mutate(connector.id)}>
          {check.isPending ? 'Testing…' : 'Test'}
        </Button>
      }
    >
      <div aria-live="polite">
        {check.error !== null && <ProblemNotice error={check.error} />}
        {check.data !== undefined && <CheckSteps steps={check.data.steps} />}
      </div>
    </Section>
  );
}
