import { useState } from 'react';
import { useAdminWrites, type AdminRole } from '../api/admins.js';
import { Button } from '../shared/button.js';
import { Code } from '../shared/code.js';
import { Dialog, FormDialog } from '../shared/dialog.js';
import { IdField, SelectField, TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';
import { ROLES } from './admins.js';

/** Makes an admin and shows its token, which is never shown again. */
export function AddAdminDialog({ onClose }: { readonly onClose: () => void }) {
  const { add } = useAdminWrites();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<AdminRole>('viewer');
  function submit(): void {
    add.mutate({ id: id.trim(), role, ...(name.trim() !== '' && { name: name.trim() }) });
  }
  if (add.data !== undefined)
    return (
      <Dialog title={`The token of ${add.data.id}`} onClose={onClose}>
        <p className="mb-3">
          Copy it now: it is shown this once. With it one signs in here and uses the command line.
        </p>
        <Code text={add.data.token} label="The new token" />
        <div className="mt-4 flex justify-end">
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    );
  return (
    <FormDialog
      title="Add an admin"
      action="Add"
      busy={add.isPending}
      problem={add.error !== null && <ProblemNotice error={add.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <IdField
        label="Id"
        hint="The log names it so, and it stays."
        placeholder="maria"
        value={id}
        onText={setId}
      />
      <TextField label="Name" hint="What people see." value={name} onText={setName} />
      <SelectField
        label="Role"
        choices={ROLES}
        hint={ROLES.find(({ value }) => value === role)?.may}
        value={role}
        onText={(value) => setRole(ROLES.find((each) => each.value === value)?.value ?? 'viewer')}
      />
    </FormDialog>
  );
}
