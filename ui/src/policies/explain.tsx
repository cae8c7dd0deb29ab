import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { agentList } from '../api/agents.js';
import { explainPolicy, type PolicyExplanation, type PolicyQuestion } from '../api/policies.js';
import { Button } from '../shared/button.js';
import { parseJson } from '../shared/exact-json.js';
import { DecisionBadge } from '../shared/decision-badge.js';
import { SelectField, TextArea, TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { PlainLine } from '../shared/plain.js';
import { RiskBadge } from '../shared/risk-badge.js';

/** Asks the policies about one call. */
export function Explain({
  agent: initialAgent,
  tool: initialTool,
}: {
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
}) {
  const { data: agents = [] } = useQuery(agentList);
  const [chosen, setChosen] = useState(initialAgent);
  const agent = chosen ?? agents[0]?.id ?? '';
  const [tool, setTool] = useState(initialTool ?? '');
  const [args, setArgs] = useState('');
  const [problem, setProblem] = useState<string>();
  const explain = useMutation({ mutationFn: (question: PolicyQuestion) => explainPolicy(question) });
  function submit(event: FormEvent): void {
    event.preventDefault();
    const parsed = readObject(args);
    setProblem(parsed === undefined ? 'This is not a JSON object.' : undefined);
    if (parsed !== undefined) explain.mutate({ agent, tool: tool.trim(), arguments: parsed });
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Agent"
          value={agent}
          choices={agents.map(({ id }) => ({ value: id, label: id }))}
          onText={setChosen}
        />
        <TextField label="Tool" required placeholder="connector__tool" value={tool} onText={setTool} />
      </div>
      <TextArea
        label="Arguments as JSON"
        rows={2}
        placeholder="{}"
        value={args}
        onText={setArgs}
        error={problem}
      />
      <div>
        <Button type="submit" busy={explain.isPending}>
          Explain
        </Button>
      </div>
      <div aria-live="polite" className="empty:hidden">
        {explain.error !== null && <ProblemNotice error={explain.error} />}
        {explain.data !== undefined && <Explanation explanation={explain.data} />}
      </div>
    </form>
  );
}

function Explanation({ explanation }: { readonly explanation: PolicyExplanation }) {
  const { decision, reason, policies, listed, connector, tool, risk, tags } = explanation;
  return (
    <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]">
      <dt className="text-muted">The call is</dt>
      <dd>
        <DecisionBadge decision={decision} />
      </dd>
      <dt className="text-muted">Because</dt>
      <dd>
        <PlainLine text={reason} most={500} />
      </dd>
      <dt className="text-muted">Decided by</dt>
      <dd className="mono">{policies.length === 0 ? 'no statement matches' : policies.join(', ')}</dd>
      <dt className="text-muted">In its list</dt>
      <dd>{listed ? 'yes, the agent sees the tool' : 'no, the agent does not see the tool'}</dd>
      <dt className="text-muted">The tool is</dt>
      <dd className="flex flex-wrap items-center gap-2">
        <span className="mono">
          Tool::"
          <PlainLine text={`${connector}/${tool}`} most={120} />"
        </span>
        <RiskBadge risk={risk} />
        {tags.length > 0 && <span className="text-sm text-muted">tags: {tags.join(', ')}</span>}
      </dd>
    </dl>
  );
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
