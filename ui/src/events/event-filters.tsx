import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentList } from '../api/agents.js';
import { connectorList } from '../api/connectors.js';
import { CALL_OUTCOMES, EVENT_TYPES, type EventSearch } from '../api/events.js';
import { SelectField, TextField } from '../shared/field.js';
import { toPlainLine } from '../shared/plain-text.js';
import { ToolFilter } from './tool-filter.js';

/** What is searched for; it stands in the address, so that it can be kept and passed on. */
export function EventFilters({
  search,
  children,
}: {
  readonly search: EventSearch;
  readonly children: ReactNode;
}) {
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentList);
  const { data: connectors = [] } = useQuery(connectorList);
  const set = (change: Readonly<Record<string, string>>) =>
    void navigate({ to: '/events', search: { ...search, ...change } as EventSearch, replace: true });
  return (
    <div role="search" className="mb-3 grid gap-3 sm:grid-cols-2 md:grid-cols-4">
      <SelectField
        label="Agent"
        value={search.agent ?? ''}
        choices={[{ value: '', label: 'Any' }, ...agents.map(({ id }) => ({ value: id, label: id }))]}
        onText={(agent) => set({ agent })}
      />
      <SelectField
        label="Connector"
        value={search.connector ?? ''}
        choices={[
          { value: '', label: 'Any' },
          ...connectors.map(({ id, name }) => ({ value: id, label: toPlainLine(name, 60) })),
        ]}
        onText={(connector) => set({ connector })}
      />
      <ToolFilter tool={search.tool ?? ''} onTool={(tool) => set({ tool })} />
      <SelectField
        label="Type"
        value={search.type ?? ''}
        choices={[{ value: '', label: 'Any' }, ...EVENT_TYPES.map((value) => ({ value, label: value }))]}
        onText={(type) => set({ type })}
      />
      <SelectField
        label="Outcome"
        value={search.outcome ?? ''}
        choices={[
          { value: '', label: 'Any' },
          ...CALL_OUTCOMES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
        ]}
        onText={(outcome) => set({ outcome })}
      />
      <MomentField label="From" value={search.since} onMoment={(since) => set({ since })} />
      <MomentField label="Until" value={search.until} onMoment={(until) => set({ until })} />
      <div className="self-end pb-1.5">{children}</div>
    </div>
  );
}

function MomentField({
  label,
  value,
  onMoment,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onMoment: (moment: string) => void;
}) {
  const at = value === undefined ? Number.NaN : Date.parse(value);
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={Number.isNaN(at) ? '' : toLocal(new Date(at))}
      onText={(text) => onMoment(text === '' ? '' : new Date(text).toISOString())}
    />
  );
}

function toLocal(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
