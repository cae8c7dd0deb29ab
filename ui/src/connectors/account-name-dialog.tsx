import { useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { TextField } from '../shared/field.js';

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
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isTaken) onName(name.trim());
  }
  return (
    <Dialog title="Connect another account" onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Name of the account"
          required
          pattern="[A-Za-z0-9\-]([A-Za-z0-9\-]|_(?!_)){0,47}"
          title="1 to 48 letters, digits, - or single _"
          placeholder="work"
          hint="To tell it from the others. Calls go on with the one they use now, until you choose this one."
          error={isTaken ? 'There is an account of this name already.' : undefined}
          value={name}
          onText={setName}
        />
        {problem}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Go and sign in
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
