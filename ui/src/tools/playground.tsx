import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { agentList } from '../api/agents.js';
import { callTool, type ToolView } from '../api/tools.js';
import { Button } from '../shared/button.js';
import { SelectField, TextArea } from '../shared/field.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { CallFacts } from './call-facts.js';
import { CallLines } from './call-lines.js';
import { CallResult } from './call-result.js';
import {
  fieldsOf,
  initialTexts,
  readArguments,
  toTexts,
  type Arguments,
  type ReadOutcome,
} from './schema-fields.js';
import { SchemaForm } from './schema-form.js';

type CallState =
  | { readonly state: 'idle' }
  | { readonly state: 'running' }
  | { readonly state: 'cancelled' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'done'; readonly callId: string; readonly result: Arguments; readonly ms: number };

/** Calls a tool as an agent, with the agent's own rights. */
export function Playground({
  tool,
  agent: wanted,
}: {
  readonly tool: ToolView;
  readonly agent: string | undefined;
}) {
  const { data: agents = [] } = useQuery(agentList);
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [chosen, setChosen] = useState(wanted);
  const agent =
    chosen ?? (agents.find(({ id }) => id === 'local') ?? agents.find(({ enabled }) => enabled))?.id ?? '';
  const [texts, setTexts] = useState(() => initialTexts(fields));
  const [raw, setRaw] = useState<string>();
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [call, setCall] = useState<CallState>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);
  const outcome = raw === undefined ? readArguments(fields, texts) : readRaw(raw);

  function switchMode(): void {
    setProblems({});
    if (raw === undefined) setRaw(JSON.stringify('args' in outcome ? outcome.args : {}, null, 2));
    else {
      if ('args' in outcome) setTexts(toTexts(fields, outcome.args));
      setRaw(undefined);
    }
  }

  async function run(event: FormEvent): Promise<void> {
    event.preventDefault();
    if ('problems' in outcome) return setProblems(outcome.problems);
    setProblems({});
    const controller = new AbortController();
    running.current = controller;
    setCall({ state: 'running' });
    const startedAt = performance.now();
    try {
      const answer = await callTool({
        agent,
        name: tool.name,
        args: outcome.args,
        signal: controller.signal,
      });
      setCall({ state: 'done', ...answer, ms: performance.now() - startedAt });
    } catch (error) {
      setCall(controller.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error });
    }
  }

  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <form onSubmit={(event) => void run(event)} className="panel grid gap-4 p-4">
        <SelectField
          label="Call as"
          value={agent}
          choices={agents.map(({ id, enabled }) => ({ value: id, label: enabled ? id : `${id} (disabled)` }))}
          hint="The call has this agent's rights and credentials, and is recorded."
          onText={setChosen}
        />
        <div className="flex items-center justify-between gap-2">
          <h2 className="font-semibold">Arguments</h2>
          <Button small onClick={switchMode}>
            {raw === undefined ? 'As JSON' : 'As form'}
          </Button>
        </div>
        {raw === undefined ? (
          fields.length === 0 ? (
            <p className="text-muted">This tool takes none.</p>
          ) : (
            <SchemaForm
              fields={fields}
              texts={texts}
              problems={problems}
              onText={(key, text) => setTexts((before) => ({ ...before, [key]: text }))}
            />
          )
        ) : (
          <TextArea
            label="Arguments as JSON"
            hideLabel
            rows={10}
            value={raw}
            onText={setRaw}
            error={problems['raw']}
          />
        )}
        <div className="flex gap-2">
          <Button kind="primary" type="submit" busy={call.state === 'running'} disabled={agent === ''}>
            {call.state === 'running' ? 'Calling…' : 'Call'}
          </Button>
          {call.state === 'running' && (
            <Button onClick={() => running.current?.abort()}>Cancel the call</Button>
          )}
        </div>
      </form>
      <div className="min-w-0">
        <div aria-live="polite" className="mb-4 empty:mb-0">
          {call.state === 'failed' && <ProblemNotice error={call.error} />}
          {call.state === 'cancelled' && (
            <Notice tone="warn">
              The call was cancelled. Whether the server acted on it is in the event log.
            </Notice>
          )}
          {call.state === 'done' && <CallResult result={call.result} />}
        </div>
        {call.state === 'done' && <CallFacts callId={call.callId} ms={call.ms} />}
        <Section title="The same call elsewhere">
          <CallLines tool={tool.name} agent={agent} args={'args' in outcome ? outcome.args : {}} />
        </Section>
      </div>
    </div>
  );
}

function readRaw(text: string): ReadOutcome {
  try {
    const value = JSON.parse(text.trim() === '' ? '{}' : text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { args: value as Arguments };
    return { problems: { raw: 'Arguments are a JSON object: { … }' } };
  } catch (error) {
    return { problems: { raw: `This is not JSON: ${error instanceof Error ? error.message : ''}` } };
  }
}
