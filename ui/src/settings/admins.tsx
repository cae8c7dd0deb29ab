import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { adminList, useAdminWrites, type AdminRole, type AdminView } from '../api/admins.js';
import { currentSession } from '../api/session.js';
import { Badge } from '../shared/badge.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { ProblemNotice } from '../shared/notice.js';
import { Loading, Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';
import { Ago } from '../shared/time.js';
import { AddAdminDialog } from './add-admin-dialog.js';

export const ROLES: readonly { readonly value: AdminRole; readonly label: string; readonly may: string }[] = [
  { value: 'viewer', label: 'Viewer', may: 'Looks at everything, changes nothing.' },
  {
    value: 'operator',
    label: 'Operator',
    may: 'Also runs connectors: adds, syncs, stores credentials, calls tools, exports events.',
  },
  {
    value: 'owner',
    label: 'Owner',
    may: 'Also decides who may do what: agents, keys, policies, admins, private networks, the master key.',
  },
];

const SOURCES: Readonly<Record<AdminView['source'], string>> = {
  built_in: 'the token of the hub itself',
  file: 'from the configuration file',
  stored: '',
};

/** People and scripts that run the hub, and what each role may do. */
export function Admins() {
  const { data: admins, error } = useQuery(adminList);
  const { data: session } = useQuery(currentSession);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<AdminView>();
  return (
    <>
      <Section
        title="Admins"
        lead="Each has a token of its own, so that the log tells who did what."
        actions={
          <Button kind="primary" small onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Add an admin
          </Button>
        }
      >
        {error !== null && <ProblemNotice error={error} />}
        {admins === undefined && error === null && <Loading what="admins" />}
        <ul className="divide-y divide-line" aria-label="Admins">
          {admins?.map((admin) => (
            <li key={admin.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
              <div className="min-w-0 flex-1 basis-56">
                <PlainLine text={admin.name} className="font-medium" most={80} />{' '}
                <Badge tone={admin.role === 'owner' ? 'accent' : 'plain'}>{admin.role}</Badge>
                {admin.id === session?.admin.id && <span className="text-sm text-muted"> you</span>}
                <p className="text-sm text-muted">
                  {[admin.id, `token ends in ${admin.last4}`, SOURCES[admin.source]]
                    .filter((part) => part !== '')
                    .join(' · ')}
                  {admin.source === 'stored' && (
                    <>
                      {' '}
                      · added <Ago at={admin.createdAt} />
                    </>
                  )}
                </p>
              </div>
              {!admin.readOnly && (
                <Button small kind="danger" onClick={() => setRemoving(admin)}>
                  Remove<span className="sr-only"> {admin.id}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Roles">
        <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]">
          {ROLES.map(({ value, label, may }) => (
            <div key={value} className="contents">
              <dt className="font-medium">{label}</dt>
              <dd className="text-muted">{may}</dd>
            </div>
          ))}
        </dl>
      </Section>
      {adding && <AddAdminDialog onClose={() => setAdding(false)} />}
      {removing !== undefined && <RemoveDialog admin={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function RemoveDialog({ admin, onClose }: { readonly admin: AdminView; readonly onClose: () => void }) {
  const { remove } = useAdminWrites();
  return (
    <ConfirmDialog
      title={`Remove ${admin.id}?`}
      action="Remove for good"
      busy={remove.isPending}
      problem={remove.error !== null && <ProblemNotice error={remove.error} />}
      onClose={onClose}
      onConfirm={() => remove.mutate(admin.id, { onSuccess: onClose })}
    >
      Its token and its signed-in browsers are refused from now on. What it did stays in the log.
    </ConfirmDialog>
  );
}
