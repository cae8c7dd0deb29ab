import { useState, type ReactNode } from 'react';
import { FormDialog } from '../shared/dialog.js';
import { IdField } from '../shared/field.js';

/** An owner's further account needs a name of its own. */
export function AccountNameDialog({
  taken,
  busy,
  problem,
  onName,
  onClose,
}: {
  readonly taken: readonly string[];
  readonly busy: boolean;
  readonly problem: ReactNode;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const isTaken = taken.includes(name.trim());
  return (
    <FormDialog
      title="Connect another account"
      action="Go and sign in"
      busy={busy}
      problem={problem}
      onSubmit={() => {
        if (!isTaken) onName(name.trim());
      }}
      onClose={onClose}
    >
      <IdField
        label="Name of the account"
        placeholder="work"
        hint="To tell it from the others. Calls go on with the one they use now, until you choose this one."
        error={isTaken ? 'There is an account of this name already.' : undefined}
        value={name}
        onText={setName}
      />
    </FormDialog>
  );
}
