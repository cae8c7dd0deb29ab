import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { policyList, removedPolicies, type PolicyView } from '../api/policies.js';
import { useMay } from '../api/use-session.js';
import { Badge } from '../shared/badge.js';
import { ButtonLink } from '../shared/button.js';
import { ProblemNotice } from '../shared/notice.js';
import { Loading, Page, Section } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { Ago } from '../shared/time.js';
import { Explain } from './explain.js';

const route = getRouteApi('/policies');

const SOURCES = { file: 'from a file', stored: 'kept by the hub', built_in: 'comes with the hub' } as const;

export function PoliciesPage() {
  const { agent, tool } = route.useSearch();
  const { data: policies, error } = useQuery(policyList);
  const mayDecide = useMay('owner');
  return (
    <Page
      title="Policies"
      lead="What each agent sees and may do. What no policy permits is refused, and a forbid always wins."
      actions={
        mayDecide && (
          <ButtonLink kind="primary" to="/policies/new">
            <Plus aria-hidden className="size-4" />
            Add a policy
          </ButtonLink>
        )
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {policies === undefined && error === null && <Loading what="policies" />}
      {policies !== undefined && (
        <ul className="panel mb-6 divide-y divide-line" aria-label="Policies">
          {policies.map((policy) => (
            <li key={policy.id}>
              <PolicyRow policy={policy} />
            </li>
          ))}
        </ul>
      )}
      <Removed />
      <Section
        title="Explain"
        lead="What would happen if an agent called a tool, and which policy decides. Nothing is called."
      >
        <Explain key={`${agent} ${tool}`} agent={agent} tool={tool} />
      </Section>
    </Page>
  );
}

function Removed() {
  const { data: removed = [] } = useQuery(removedPolicies);
  if (removed.length === 0) return null;
  return (
    <details className="panel mb-6 px-4 py-3">
      <summary className="font-medium">
        {removed.length} removed {removed.length === 1 ? 'policy' : 'policies'} that can be restored
      </summary>
      <ul aria-label="Removed policies" className="mt-2 grid gap-1">
        {removed.map(({ policy, at, by }) => (
          <li key={policy} className="flex flex-wrap gap-x-3">
            <Link to="/policies/$id" params={{ id: policy }} className="text-accent underline">
              {policy}
            </Link>
            <span className="text-sm text-muted">
              removed <Ago at={at} />
              {by !== undefined && ` by ${toPlainLine(by, 60)}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function PolicyRow({ policy }: { readonly policy: PolicyView }) {
  const { id, text, source, updatedAt, readOnly } = policy;
  const firstLine = text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !line.startsWith('//'));
  return (
    <div className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link to="/policies/$id" params={{ id }} className="font-medium hover:underline">
          {id}
        </Link>
        <Badge>{SOURCES[source]}</Badge>
        {!readOnly && (
          <span className="text-sm text-muted">
            changed <Ago at={updatedAt} />
          </span>
        )}
      </p>
      <p className="mono truncate text-muted">{toPlainLine(firstLine ?? 'no statement', 160)}</p>
    </div>
  );
}
