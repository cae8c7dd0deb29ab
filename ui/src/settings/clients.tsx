import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { clientList, useClientWrites } from '../api/clients.js';
import { useMay } from '../api/use-session.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { EmptyState, Loading } from '../shared/page.js';
import { toPlainLine } from '../shared/plain-text.js';
import { PlainLine } from '../shared/plain.js';
import { Ago } from '../shared/time.js';
import { VirtualRows } from '../shared/virtual-rows.js';

interface Asked {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
}

/** Programs that somebody let act as an agent by signing in, instead of giving them a key. */
export function Clients() {
  const { data: clients, error } = useQuery(clientList);
  const mayDecide = useMay('owner');
  const [asked, setAsked] = useState<Asked>();
  if (clients === undefined)
    return error === null ? <Loading what="programs" /> : <ProblemNotice error={error} />;
  return (
    <>
      {error !== null && <ProblemNotice error={error} />}
      <p className="mb-3 text-muted">
        Programs that were allowed to act as an agent after somebody signed in, instead of being given a key.
      </p>
      {clients.length === 0 ? (
        <EmptyState title="No program was allowed yet">
          A client that supports OAuth opens the sign-in of this hub by itself. What is allowed there shows
          here.
        </EmptyState>
      ) : (
        <VirtualRows
          label="Programs"
          items={clients}
          keyOf={({ id }) => id}
          rowHeight={68}
          render={({ id, name, agent, redirectUri, approvedBy, approvedAt }) => (
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
              <div className="min-w-0 flex-1 basis-64">
                <PlainLine text={name} className="font-medium" most={80} /> as{' '}
                <Link to="/agents/$id" params={{ id: agent }} className="text-accent underline">
                  {agent}
                </Link>
                <p className="text-sm text-muted">
                  allowed by <PlainLine text={approvedBy} most={64} /> <Ago at={approvedAt} />, answers go to{' '}
                  <PlainLine text={redirectUri} most={120} className="mono" />
                </p>
              </div>
              {mayDecide && (
                <Button small kind="danger" onClick={() => setAsked({ id, name, agent })}>
                  Revoke<span className="sr-only"> {toPlainLine(name, 80)}</span>
                </Button>
              )}
            </div>
          )}
        />
      )}
      {asked !== undefined && <RevokeDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function RevokeDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }) {
  const { revoke } = useClientWrites();
  return (
    <ConfirmDialog
      title={`Revoke ${toPlainLine(asked.name, 80)}?`}
      action="Revoke it"
      busy={revoke.isPending}
      problem={revoke.error !== null && <ProblemNotice error={revoke.error} />}
      onClose={onClose}
      onConfirm={() => revoke.mutate(asked.id, { onSuccess: onClose })}
    >
      Its tokens end at once, and it can no longer act as {asked.agent}. It may ask again, and somebody would
      have to allow it again.
    </ConfirmDialog>
  );
}
