import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent, type MouseEvent } from 'react';
import { agentList } from '../api/agents.js';
import type { ToolView } from '../api/tools.js';
import { Button } from '../shared/button.js';
import { parseJson, writeJson } from '../shared/exact-json.js';
import { SelectField, TextArea } from '../shared/field.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Section } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { CallFacts } from './call-facts.js';
import { CallLines } from './call-lines.js';
import { CallProgress } from './call-progress.js';
import { CallQuestion } from './call-question.js';
import { CallResult } from './call-result.js';
import {
  fieldsOf,
  initialTexts,
  readArguments,
  takesOthers,
  toTexts,
  withoutField,
  type Arguments,
  type Field,
  type ReadOutcome,
} from './schema-fields.js';
import { SchemaForm } from './schema-form.js';
import { useCall } from './use-call.js';

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
  // Where no field can be made of what the tool takes, JSON is all there is.
  const [raw, setRaw] = useState(() =>
    fields.length === 0 && takesOthers(tool.inputSchema) ? '{}' : undefined,
  );
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const { state: call, run, cancel } = useCall();
  const isRunning = call.phase === 'running';
  const outcome = raw === undefined ? readArguments(fields, texts) : readRaw(raw);

  function switchMode(): void {
    if (raw === undefined) setRaw(writeJson('args' in outcome ? outcome.args : outcome.typed, 2));
    const kept = raw === undefined ? {} : problemsOfForm(fields, outcome);
    setProblems(kept);
    // What the form cannot show stays where it can be seen.
    if (raw === undefined || !('args' in outcome) || Object.keys(kept).length > 0) return;
    setTexts(toTexts(fields, outcome.args));
    setRaw(undefined);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setProblems('problems' in outcome ? outcome.problems : {});
    if ('args' in outcome) void run({ agent, name: tool.name, args: outcome.args });
  }

  function takeBack({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>): void {
    // This button goes with the call.
    form?.querySelector<HTMLElement>('[type=submit]')?.focus();
    cancel();
  }

  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <form onSubmit={submit} className="panel grid gap-4 p-4">
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
            <p className="text-muted">
              {takesOthers(tool.inputSchema)
                ? 'The tool does not name what it takes. Arguments can be given as JSON.'
                : 'This tool takes none.'}
            </p>
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
          <Button kind="primary" type="submit" busy={isRunning} disabled={agent === ''}>
            {isRunning ? 'Calling…' : 'Call'}
          </Button>
          {isRunning && <Button onClick={takeBack}>Cancel the call</Button>}
        </div>
      </form>
      <div className="min-w-0">
        {call.callId !== undefined &&
          call.questions.map((question) => (
            <CallQuestion key={question.id} callId={call.callId ?? ''} question={question} />
          ))}
        <CallProgress call={call} />
        <div aria-live="polite" className="mb-4 empty:mb-0">
          {call.phase === 'failed' && <ProblemNotice error={call.error} />}
          {call.phase === 'cancelled' && (
            <Notice tone="warn">
              The call was cancelled. Whether the server acted on it is in the event log.
            </Notice>
          )}
          {call.result !== undefined && <CallResult result={call.result} />}
        </div>
        {call.stages.length > 0 && <CallFacts call={call} />}
        <Section title="The same call elsewhere">
          <CallLines tool={tool.name} agent={agent} args={'args' in outcome ? outcome.args : {}} />
        </Section>
      </div>
    </div>
  );
}

/** Why JSON cannot be shown as a form without losing something. */
function problemsOfForm(fields: readonly Field[], outcome: ReadOutcome): Readonly<Record<string, string>> {
  if ('problems' in outcome) return outcome.problems;
  const names = withoutField(fields, outcome.args);
  if (names.length === 0) return {};
  return { raw: `The form has no field for ${names.map((name) => toPlainLine(name, 80)).join(', ')}.` };
}

function readRaw(text: string): ReadOutcome {
  try {
    const value = parseJson(text.trim() === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { args: value as Arguments };
    return { problems: { raw: 'Arguments are a JSON object: { … }' }, typed: {} };
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    return { problems: { raw: `This is not JSON: ${reason}` }, typed: {} };
  }
}
