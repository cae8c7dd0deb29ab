import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { policyVersion, policyVersions, usePolicyWrites, type PolicyVersionView } from '../api/policies.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { Loading, Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { ExactTime } from '../shared/time.js';
import { diffLines } from './diff-lines.js';
import { DiffView } from './diff-view.js';

interface HistoryProps {
  readonly id: string;
  /** What it says now; empty where it was removed. */
  readonly text: string;
  readonly tag: string | undefined;
  readonly mayRestore: boolean;
  readonly onRestored: (text: string) => void;
}

/** What a policy said before, what was changed, and the way back. */
export function PolicyHistory({ id, ...others }: HistoryProps) {
  const { data: versions, error } = useQuery(policyVersions(id));
  return (
    <Section title="History" lead="The 50 newest versions are kept, also after a removal.">
      {error !== null && <ProblemNotice error={error} />}
      {versions === undefined && error === null && <Loading what="versions" />}
      <ul aria-label="Versions" className="divide-y divide-line">
        {versions?.map((version, index) => (
          <li key={version.version}>
            <VersionRow
              version={version}
              before={versions[index + 1]}
              isNow={index === 0}
              id={id}
              {...others}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function VersionRow({
  version: { version, at, by, removed },
  before,
  isNow,
  mayRestore,
  ...others
}: HistoryProps & {
  readonly version: PolicyVersionView;
  readonly before: PolicyVersionView | undefined;
  readonly isNow: boolean;
}) {
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  return (
    <div className="py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Version {version}</span>
        {removed && <Badge tone="warn">removed</Badge>}
        {isNow && !removed && <Badge tone="good">in force</Badge>}
        <span className="min-w-0 flex-1 basis-52 text-sm text-muted">
          <ExactTime at={at} />
          {by !== undefined && (
            <>
              {' by '}
              <PlainLine text={by} most={60} />
            </>
          )}
        </span>
        <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Show'} the change<span className="sr-only"> of version {version}</span>
        </Button>
        {mayRestore && !removed && !isNow && (
          <Button small onClick={() => setAsking(true)}>
            Restore<span className="sr-only"> version {version}</span>
          </Button>
        )}
      </div>
      {open && (
        <div className="mt-2">
          <Change
            id={others.id}
            from={before?.removed === true ? undefined : before?.version}
            to={removed ? undefined : version}
            label={`Change of version ${version}`}
          />
        </div>
      )}
      {asking && <RestoreDialog version={version} onClose={() => setAsking(false)} {...others} />}
    </div>
  );
}

function Change({
  id,
  from,
  to,
  label,
}: {
  readonly id: string;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly label: string;
}) {
  const [old, now] = useQueries({
    queries: [from, to].map((version) => ({
      ...policyVersion(id, version ?? 0),
      enabled: version !== undefined,
    })),
  });
  const error = old?.error ?? now?.error ?? null;
  if (error !== null) return <ProblemNotice error={error} />;
  if ((from !== undefined && old?.data === undefined) || (to !== undefined && now?.data === undefined))
    return <Loading what="the change" />;
  return <DiffView lines={diffLines(old?.data ?? '', now?.data ?? '')} label={label} />;
}

function RestoreDialog({
  id,
  text,
  tag,
  version,
  onRestored,
  onClose,
}: Omit<HistoryProps, 'mayRestore'> & { readonly version: number; readonly onClose: () => void }) {
  const { restore } = usePolicyWrites();
  const { data: then } = useQuery(policyVersion(id, version));
  return (
    <ConfirmDialog
      title={`Restore version ${version} of ${id}?`}
      action="Restore it"
      busy={restore.isPending}
      problem={restore.error !== null && <ProblemNotice error={restore.error} />}
      onClose={onClose}
      onConfirm={() =>
        restore.mutate(
          { id, version, tag },
          {
            onSuccess: (policy) => {
              onRestored(policy.text);
              onClose();
            },
          },
        )
      }
    >
      <p className="mb-3">It is in force at once, as a new version. This is what changes:</p>
      {then !== undefined && <DiffView lines={diffLines(text, then)} label="What changes" />}
    </ConfirmDialog>
  );
}
