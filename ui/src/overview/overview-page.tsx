import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { callStatistics, hubStatus, type StatisticsView, type StatusView } from '../api/status.js';
import { useMay } from '../api/use-session.js';
import { ProblemNotice } from '../shared/notice.js';
import { Loading, Page, Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { Sparkline } from '../shared/sparkline.js';
import { toDuration } from '../shared/time.js';
import { Attention } from './attention.js';
import { CallChart, LatencyChart } from './charts.js';
import { FirstSteps } from './first-steps.js';

export function OverviewPage() {
  const { data: status, error } = useQuery(hubStatus);
  const { data: statistics } = useQuery(callStatistics);
  // Whoever may walk them all.
  const mayDecide = useMay('owner');
  return (
    <Page title="Overview">
      {error !== null && <ProblemNotice error={error} />}
      {status === undefined && error === null && <Loading what="the hub" />}
      {status !== undefined && statistics !== undefined && (
        <>
          {mayDecide && <FirstSteps status={status} statistics={statistics} />}
          <Attention status={status} />
          <Counts status={status} />
          <Calls statistics={statistics} />
          <div className="grid grid-cols-1 gap-x-4 lg:grid-cols-2">
            <Busiest title="By connector" shares={statistics.connectors} to="/connectors/$id" />
            <Busiest title="By agent" shares={statistics.agents} to="/agents/$id" />
          </div>
          <p className="text-sm text-muted">
            Crosspoint {status.version}, events in {status.storage.kind}
            {status.config.file !== null && (
              <>
                , configured by <PlainLine text={status.config.file} className="mono" />
              </>
            )}
          </p>
        </>
      )}
    </Page>
  );
}

function Counts({ status: { counts, health } }: { readonly status: StatusView }) {
  const rows: readonly { label: string; count: number; to: LinkProps['to']; note?: string }[] = [
    { label: 'Connectors', count: counts.connectors, to: '/connectors', note: `${health.healthy} healthy` },
    { label: 'Tools', count: counts.tools, to: '/tools' },
    { label: 'Agents', count: counts.agents, to: '/agents' },
    { label: 'Policies', count: counts.policies, to: '/policies' },
    { label: 'Events', count: counts.events, to: '/events' },
  ];
  return (
    <ul className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-5">
      {rows.map(({ label, count, to, note }) => (
        <li key={label}>
          <Link to={to} className="panel block h-full px-4 py-3 hover:border-edge">
            <span className="block text-2xl font-semibold tabular-nums">{count.toLocaleString('en')}</span>
            <span className="text-muted">{label}</span>
            {note !== undefined && <span className="block text-sm text-muted">{note}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Calls({ statistics }: { readonly statistics: StatisticsView }) {
  const { total, minutes } = statistics;
  return (
    <Section title="Calls in the last hour">
      {total.calls === 0 ? (
        <p className="text-muted">None. As soon as an agent calls a tool, it shows here.</p>
      ) : (
        <>
          <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-2">
            <Figure label="Calls" value={total.calls.toLocaleString('en')} />
            <Figure label="Failed" value={total.failed.toLocaleString('en')} />
            <Figure label="Denied" value={total.denied.toLocaleString('en')} />
            {total.p50Ms !== undefined && (
              <Figure label="Half take less than" value={toDuration(total.p50Ms)} />
            )}
            {total.p99Ms !== undefined && (
              <Figure label="99 of 100 take less than" value={toDuration(total.p99Ms)} />
            )}
          </dl>
          <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
            <CallChart minutes={minutes} />
            <LatencyChart minutes={minutes} />
          </div>
        </>
      )}
    </Section>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-xl font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

const MOST = 8;

function Busiest({
  title,
  shares,
  to,
}: {
  readonly title: string;
  readonly shares: StatisticsView['connectors'];
  readonly to: '/connectors/$id' | '/agents/$id';
}) {
  if (shares.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="grid gap-1.5">
        {shares.slice(0, MOST).map(({ id, calls, failed, denied, perMinute }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3">
            <Link to={to} params={{ id }} className="min-w-0 flex-1 truncate hover:underline">
              {id}
            </Link>
            <span className="text-sm whitespace-nowrap text-muted tabular-nums">
              {calls} {calls === 1 ? 'call' : 'calls'}
              {failed > 0 && `, ${failed} failed`}
              {denied > 0 && `, ${denied} denied`}
            </span>
            <Sparkline values={perMinute} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
