import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { agentList } from '../api/agents.js';
import { explainPolicy, type PolicyExplanation } from '../api/policies.js';
import type { ToolView } from '../api/tools.js';
import { useMay } from '../api/use-session.js';
import { ButtonLink } from '../shared/button.js';
import { DecisionBadge } from '../shared/decision-badge.js';
import { Loading } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';

const MOST_AGENTS = 50;

/** What the policies say of each agent, before any arguments are known. */
export function ToolAccess({
  tool,
  agent: wanted,
}: {
  readonly tool: ToolView;
  /** Shown first. */
  readonly agent: string | undefined;
}) {
  const { data: agents } = useQuery(agentList);
  const mayDecide = useMay('owner');
  const shown = (agents ?? [])
    .toSorted((a, b) => Number(b.id === wanted) - Number(a.id === wanted))
    .slice(0, MOST_AGENTS);
  const explanations = useQueries({
    queries: shown.map(({ id }) => ({
      // Beside the tools, because the same events change it.
      queryKey: ['tools', 'access', tool.name, id],
      queryFn: () => explainPolicy({ agent: id, tool: `${tool.connector}/${tool.tool}` }),
    })),
  });
  if (agents === undefined) return <Loading what="agents" />;
  return (
    <>
      <ul className="panel mb-4 divide-y divide-line" aria-label="Agents">
        {shown.map(({ id }, index) => {
          const explanation = explanations[index]?.data;
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <Link to="/agents/$id" params={{ id }} className="font-medium hover:underline">
                {id}
              </Link>
              {explanation !== undefined && (
                <>
                  <DecisionBadge decision={explanation.decision} />
                  <span className="text-sm text-muted">
                    {explanation.listed ? 'sees it' : 'does not see it'} ·{' '}
                    <PlainLine text={explanation.reason} />
                    <Others explanation={explanation} />
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {mayDecide && (
        <ButtonLink to="/policies/new" search={{ connector: tool.connector }}>
          Give an agent access
        </ButtonLink>
      )}
    </>
  );
}

/** The policies that decided, apart from those the reason names. */
function Others({ explanation: { reason, policies } }: { readonly explanation: PolicyExplanation }) {
  const others = policies.filter((policy) => !reason.includes(policy));
  return others.length > 0 && ` (${others.join(', ')})`;
}
