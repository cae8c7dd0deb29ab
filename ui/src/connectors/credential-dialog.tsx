import { useState } from 'react';
import { useConnectorWrites, type ConnectorDetail } from '../api/connectors.js';
import { FormDialog } from '../shared/dialog.js';
import { TextField } from '../shared/field.js';
import { ProblemNotice } from '../shared/notice.js';

/** Takes a secret for one owner. It leaves the page with the request and is not kept here. */
export function CredentialDialog({
  connector,
  owner,
  onClose,
}: {
  readonly connector: ConnectorDetail;
  readonly owner: { readonly id: string; readonly label: string };
  readonly onClose: () => void;
}) {
  const { saveCredential } = useConnectorWrites();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { auth } = connector;
  const names = auth.type === 'header' ? Object.keys(auth.headers) : ['secret'];
  const labelOf = (name: string) =>
    auth.type === 'header' ? name : auth.type === 'bearer' ? 'Token' : 'Key';
  function submit(): void {
    const secret = values['secret'] ?? '';
    const input =
      auth.type === 'header'
        ? { headers: { ...values } }
        : auth.type === 'bearer'
          ? { token: secret }
          : { value: secret };
    saveCredential.mutate({ id: connector.id, owner: owner.id, input }, { onSuccess: onClose });
  }
  return (
    <FormDialog
      title={`Credential of ${owner.label} for ${connector.id}`}
      action="Store"
      busy={saveCredential.isPending}
      problem={saveCredential.error !== null && <ProblemNotice error={saveCredential.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={labelOf(name)}
          type="password"
          autoComplete="new-password"
          required={auth.type !== 'header'}
          hint={
            auth.type === 'header'
              ? 'Leave blank to keep the stored one.'
              : 'Kept encrypted; it is never shown again.'
          }
          value={values[name] ?? ''}
          onText={(text) => setValues((before) => ({ ...before, [name]: text }))}
        />
      ))}
    </FormDialog>
  );
}
