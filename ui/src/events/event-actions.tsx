import { useMutation } from '@tanstack/react-query';
import { Download, ShieldCheck } from 'lucide-react';
import { exportAddress, verifyEvents, type EventSearch } from '../api/events.js';
import { useMay } from '../api/use-session.js';
import { Button, DownloadLink } from '../shared/button.js';
import { Notice, ProblemNotice } from '../shared/notice.js';

/** Take the log along, and see whether it is whole. */
export function EventActions({ search }: { readonly search: EventSearch }) {
  const mayRun = useMay('operator');
  const verify = useMutation({ mutationFn: verifyEvents });
  if (!mayRun) return null;
  return (
    <div className="grid justify-items-end gap-2">
      <div className="flex flex-wrap gap-2">
        <DownloadLink href={exportAddress(search)}>
          <Download aria-hidden className="size-4" />
          Export
        </DownloadLink>
        <Button busy={verify.isPending} onClick={() => verify.mutate()}>
          <ShieldCheck aria-hidden className="size-4" />
          {verify.isPending ? 'Verifying…' : 'Verify the chain'}
        </Button>
      </div>
      <div aria-live="polite" className="grid gap-2 empty:hidden">
        {verify.error !== null && <ProblemNotice error={verify.error} />}
        {verify.data?.ok === true && (
          <Notice tone="good">
            The chain is whole: {verify.data.events.toLocaleString('en')} events, none changed or missing.
          </Notice>
        )}
        {verify.data?.ok === false && (
          <Notice tone="bad">
            The chain is broken at event {verify.data.sequence}: it is {verify.data.problem}. Keep the store
            as it is, and compare it with a backup.
          </Notice>
        )}
      </div>
    </div>
  );
}
