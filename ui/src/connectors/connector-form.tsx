import { useRef, useState, type Dispatch, type FormEvent, type ReactNode, type SetStateAction } from 'react';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { CheckField, IdField, SelectField, TextField } from '../shared/field.js';
import { AuthFields } from './auth-fields.js';
import { AttemptOutcome, TestButton, useAdditionCheck } from './addition-check.js';
import { suggestId, toAddition, toId, type ConnectorDraft } from './connector-draft.js';
import type { ConnectorView } from '../api/connectors.js';

const ERAS = [
  { value: 'auto', label: 'Find out' },
  { value: 'legacy', label: 'Legacy (up to 2025-11-25)' },
  { value: 'modern', label: 'Modern (2026-07-28)' },
] as const;

const ISOLATIONS = [
  { value: 'shared', label: 'Shared by all agents' },
  { value: 'per_principal', label: 'One for each agent' },
  { value: 'per_session', label: 'One for each session' },
  { value: 'per_call', label: 'One for each call' },
] as const;

/** The fields of a remote connector. `before` is what is stored, where it is an edit. */
export function ConnectorForm({
  draft,
  onDraft,
  before,
  submitLabel,
  busy,
  problem,
  onSubmit,
}: {
  readonly draft: ConnectorDraft;
  readonly onDraft: Dispatch<SetStateAction<ConnectorDraft>>;
  readonly before?: ConnectorView;
  readonly submitLabel: string;
  readonly busy: boolean;
  readonly problem: ReactNode;
  readonly onSubmit: () => void;
}) {
  const [idTouched, setIdTouched] = useState(false);
  const set = (change: Partial<ConnectorDraft>) => onDraft((old) => ({ ...old, ...change }));
  const isNew = before === undefined;
  const check = useAdditionCheck(draft);
  const form = useRef<HTMLFormElement>(null);
  function test(): void {
    // What is missing is pointed out as when it is sent.
    if (form.current?.reportValidity() === true) check.run(toAddition(draft));
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const setUrl = (url: string) =>
    set({ url, ...(isNew && !idTouched && { id: draft.name === '' ? suggestId(url) : draft.id }) });
  const setName = (name: string) =>
    set({ name, ...(isNew && !idTouched && name !== '' && { id: toId(name) }) });
  return (
    <form ref={form} onSubmit={submit} className="grid max-w-2xl gap-4">
      {before?.transport !== 'stdio' && (
        <TextField
          label="Address"
          type="url"
          required
          placeholder="https://mcp.example.com/mcp"
          hint="The address of the MCP server, as its documentation gives it."
          value={draft.url}
          onText={setUrl}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" hint="What people see." value={draft.name} onText={setName} />
        {isNew && (
          <IdField
            label="Id"
            hint="Stands in front of tool names, and stays."
            value={draft.id}
            onText={(id) => {
              setIdTouched(true);
              set({ id });
            }}
          />
        )}
      </div>
      {before?.transport !== 'stdio' && <AuthFields draft={draft} before={before} onChange={set} />}
      <details className="panel px-4 py-3">
        <summary className="font-medium">Advanced</summary>
        <Advanced draft={draft} isNew={isNew} isRemote={before?.transport !== 'stdio'} onChange={set} />
      </details>
      {problem}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" busy={busy}>
          {submitLabel}
        </Button>
        {isNew && <TestButton check={check} onClick={test} />}
      </div>
      {isNew && <AttemptOutcome check={check} />}
    </form>
  );
}

function Advanced({
  draft,
  isNew,
  isRemote,
  onChange,
}: {
  readonly draft: ConnectorDraft;
  readonly isNew: boolean;
  readonly isRemote: boolean;
  readonly onChange: (change: Partial<ConnectorDraft>) => void;
}) {
  const isOwner = useMay('owner');
  const number = (key: 'requestMs' | 'totalMs' | 'resultBytes' | 'concurrency', label: string) => (
    <TextField
      label={label}
      inputMode="numeric"
      pattern="\d*"
      title="A whole number"
      placeholder={isNew ? 'default' : 'as it is'}
      value={draft[key]}
      onText={(text) => onChange({ [key]: text })}
    />
  );
  return (
    <div className="mt-3 grid gap-4 sm:grid-cols-2">
      <SelectField
        label="Protocol era"
        choices={ERAS}
        value={draft.era}
        onText={(era) => onChange({ era: era as ConnectorDraft['era'] })}
      />
      <SelectField
        label="Conversation with the server"
        choices={ISOLATIONS}
        value={draft.isolation}
        onText={(value) => onChange({ isolation: value as ConnectorDraft['isolation'] })}
      />
      {isRemote && (
        <SelectField
          label="Transport"
          choices={[
            { value: 'streamable_http', label: 'Streamable HTTP' },
            { value: 'sse', label: 'HTTP+SSE (older servers)' },
          ]}
          value={draft.transport}
          onText={(value) => onChange({ transport: value === 'sse' ? 'sse' : 'streamable_http' })}
        />
      )}
      <TextField
        label="Tags"
        hint="Words for policies, with commas between."
        value={draft.tags}
        onText={(tags) => onChange({ tags })}
      />
      {number('requestMs', 'Time without any answer, ms')}
      {number('totalMs', 'Time for a whole call, ms')}
      {number('resultBytes', 'Largest result, bytes')}
      {number('concurrency', 'Calls at the same time')}
      <div className="grid gap-3 sm:col-span-2">
        {isRemote && (
          <CheckField
            label="May reach into a private network"
            hint={
              isOwner
                ? 'For servers on this machine or in your own network.'
                : 'Only an owner can allow this.'
            }
            disabled={!isOwner}
            checked={draft.allowPrivateNetwork}
            onCheck={(allowPrivateNetwork) => onChange({ allowPrivateNetwork })}
          />
        )}
        <CheckField
          label="Hide its tools while it is unhealthy"
          checked={draft.hideWhenUnhealthy}
          onCheck={(hideWhenUnhealthy) => onChange({ hideWhenUnhealthy })}
        />
        <CheckField
          label="Hold tools back that change"
          hint="A tool whose definition is not what it was is not offered until somebody accepts it."
          checked={draft.changedTools === 'hold'}
          onCheck={(holds) => onChange({ changedTools: holds ? 'hold' : 'offer' })}
        />
      </div>
    </div>
  );
}
