import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agentList } from '../api/agents.js';
import { connectorList } from '../api/connectors.js';
import { toolPages } from '../api/tools.js';
import { Button } from '../shared/button.js';
import { CheckField, SelectField } from '../shared/field.js';
import { toPlainLine } from '../shared/plain-text.js';
import { PlainLine } from '../shared/plain.js';
import { RiskBadge } from '../shared/risk-badge.js';
import { writePolicy, type AccessWish } from './write-policy.js';

const LIMITS = [
  { value: 'everything', label: 'without further limits' },
  { value: 'read', label: 'only those that read' },
  { value: 'confirm_writes', label: 'and ask a person before anything is changed' },
] as const;

/** «This agent may use these tools of this connector», written as a policy. */
export function PolicyBuilder({
  agent: initialAgent,
  connector: initialConnector,
  onWritten,
}: {
  readonly agent: string | undefined;
  readonly connector: string | undefined;
  readonly onWritten: (id: string, text: string) => void;
}) {
  const { data: agents = [] } = useQuery(agentList);
  const { data: connectors = [] } = useQuery(connectorList);
  const [chosenAgent, setAgent] = useState(initialAgent);
  const [chosenConnector, setConnector] = useState(initialConnector);
  const [limit, setLimit] = useState<AccessWish['limit']>('everything');
  const [some, setSome] = useState(false);
  const [tools, setTools] = useState<readonly string[]>([]);
  const agent = chosenAgent ?? (agents.find(({ id }) => id !== 'local') ?? agents[0])?.id ?? '';
  const connector = chosenConnector ?? connectors[0]?.id ?? '';
  const ready = agent !== '' && connector !== '' && (!some || tools.length > 0);
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Agent"
          value={agent}
          choices={agents.map(({ id }) => ({ value: id, label: id }))}
          onText={setAgent}
        />
        <SelectField
          label="may use tools of"
          value={connector}
          choices={connectors.map(({ id, name }) => ({ value: id, label: toPlainLine(name, 60) }))}
          onText={(id) => {
            setConnector(id);
            setTools([]);
          }}
        />
        <SelectField
          label="Which tools"
          value={some ? 'some' : 'all'}
          choices={[
            { value: 'all', label: 'all of them' },
            { value: 'some', label: 'those chosen below' },
          ]}
          onText={(value) => setSome(value === 'some')}
        />
        <SelectField
          label="How"
          value={limit}
          choices={LIMITS}
          onText={(value) => setLimit(value as AccessWish['limit'])}
        />
      </div>
      {some && connector !== '' && <ToolChoice connector={connector} chosen={tools} onChange={setTools} />}
      <div>
        <Button
          disabled={!ready}
          onClick={() =>
            onWritten(
              `${agent}-${connector}`.slice(0, 48),
              writePolicy({ agent, connector, tools: some ? tools : [], limit }),
            )
          }
        >
          Write the policy
        </Button>
      </div>
    </div>
  );
}

function ToolChoice({
  connector,
  chosen,
  onChange,
}: {
  readonly connector: string;
  readonly chosen: readonly string[];
  readonly onChange: (tools: readonly string[]) => void;
}) {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(toolPages({ connector }));
  const tools = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <fieldset className="max-h-72 overflow-y-auto rounded-md border border-line p-3">
      <legend className="px-1 font-medium">Tools</legend>
      <div className="grid gap-2">
        {tools.map(({ tool, risk }) => (
          <CheckField
            key={tool}
            label={
              <>
                <PlainLine text={tool} className="mono" most={80} /> <RiskBadge risk={risk} />
              </>
            }
            checked={chosen.includes(tool)}
            onCheck={(checked) =>
              onChange(checked ? [...chosen, tool] : chosen.filter((each) => each !== tool))
            }
          />
        ))}
        {hasNextPage && (
          <Button small onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </fieldset>
  );
}
