import { useMutation } from '@tanstack/react-query';
import { Download, ShieldCheck } from 'lucide-react';
import { exportEvents, verifyEvents, type EventSearch } from '../api/events.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { Notice, ProblemNotice } from '../shared/notice.js';

const WHILE_USED_MS = 10_000;

/** Take the log along, and see whether it is whole. */
export function EventActions({ search }: { readonly search: EventSearch }) {
  const mayVerify = useMay('operator');
  const verify = useMutation({ mutationFn: verifyEvents });
  const save = useMutation({
    mutationFn: async () => {
      const exported = await exportEvents(search);
      download(exported.text);
      return exported;
    },
  });
  return (
    <div className="grid justify-items-end gap-2">
      <div className="flex flex-wrap gap-2">
        <Button busy={save.isPending} onClick={() => save.mutate()}>
          <Download aria-hidden className="size-4" />
          Export
        </Button>
        {mayVerify && (
          <Button busy={verify.isPending} onClick={() => verify.mutate()}>
            <ShieldCheck aria-hidden className="size-4" />
            Verify the chain
          </Button>
        )}
      </div>
      <div aria-live="polite" className="grid gap-2 empty:hidden">
        {save.error !== null && <ProblemNotice error={save.error} />}
        {save.data?.cut === true && (
          <Notice tone="warn">
            Only the newest {save.data.count} events were exported. Use a shorter time, or: npx crosspoint
            events --json
          </Notice>
        )}
        {verify.error !== null && <ProblemNotice error={verify.error} />}
        {verify.data?.ok === true && (
          <Notice tone="good">
            The chain is whole: {verify.data.events} events, none changed or missing.
          </Notice>
        )}
        {verify.data?.ok === false && (
          <Notice tone="bad">
            The chain is broken at event {verify.data.sequence}: it is {verify.data.problem}.
          </Notice>
        )}
      </div>
    </div>
  );
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'crosspoint-events.jsonl';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), WHILE_USED_MS);
}
