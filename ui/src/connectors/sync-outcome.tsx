import type { SyncAnswer } from '../api/connectors.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { toPlainLine } from '../shared/plain-text.js';

const MOST_NAMES = 30;

/** How a sync went: what there is and what is different. */
export function SyncOutcome({
  name,
  report,
  error,
}: {
  readonly name: string;
  readonly report: SyncAnswer | undefined;
  readonly error: unknown;
}) {
  if (error !== null && error !== undefined) return <ProblemNotice error={error} prefix="Sync failed: " />;
  if (report === undefined) return null;
  const { tools, prompts, resources, added, removed, changed } = report;
  const more = [
    prompts === 0 ? undefined : `${prompts} ${prompts === 1 ? 'prompt' : 'prompts'}`,
    resources === 0 ? undefined : `${resources} ${resources === 1 ? 'resource' : 'resources'}`,
  ].filter((part) => part !== undefined);
  const same = added.length + removed.length + changed.length === 0;
  return (
    <Notice tone="good">
      <p className="font-medium">
        Discovered {tools} {tools === 1 ? 'tool' : 'tools'} from '{toPlainLine(name, 80)}'.
      </p>
      {more.length > 0 && <p>Also {more.join(' and ')}.</p>}
      {same ? <p>Nothing is different from before.</p> : <Differences {...{ added, removed, changed }} />}
    </Notice>
  );
}

/** Names that came, went or are different. */
export function Differences({
  added,
  removed,
  changed,
}: {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}) {
  const rows = [
    { label: 'New', names: added },
    { label: 'Gone', names: removed },
    { label: 'Changed', names: changed },
  ].filter(({ names }) => names.length > 0);
  return (
    <dl className="text-sm">
      {rows.map(({ label, names }) => (
        <div key={label}>
          <dt className="inline font-medium">
            {label} ({names.length}):{' '}
          </dt>
          <dd className="mono inline wrap-anywhere">
            {names
              .slice(0, MOST_NAMES)
              .map((each) => toPlainLine(each, 80))
              .join(', ')}
            {names.length > MOST_NAMES && ' …'}
          </dd>
        </div>
      ))}
    </dl>
  );
}
