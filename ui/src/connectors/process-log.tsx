import { useQuery } from '@tanstack/react-query';
import { connectorLogs } from '../api/connectors.js';
import { Button } from '../shared/button.js';
import { Code } from '../shared/code.js';
import { ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';

/** What the process of a connector wrote to its stderr. */
export function ProcessLog({ id }: { readonly id: string }) {
  const { data: lines, error, isFetching, refetch } = useQuery(connectorLogs(id));
  return (
    <Section
      title="Log of the process"
      lead="The latest lines of its stderr. They are gone when the hub ends."
      actions={
        <Button small busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {lines?.length === 0 && <p className="text-muted">It has written nothing.</p>}
      {lines !== undefined && lines.length > 0 && <Code text={lines.join('\n')} label="Log of the process" />}
    </Section>
  );
}
