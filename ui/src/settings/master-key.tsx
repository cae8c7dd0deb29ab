import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { masterKey, useMasterKeyWrites } from '../api/master-key.js';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Fact } from '../shared/fact.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Loading, Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';

const PLACES: Readonly<Record<string, string>> = {
  file: 'a file of the hub',
  keychain: 'the keychain of the machine',
  environment: 'the environment of the hub',
};

/** The key that seals every secret, and how to replace it. */
export function MasterKey() {
  const { data, error } = useQuery(masterKey);
  const { rotate } = useMasterKeyWrites();
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <Section
      title="Master key"
      lead="Every stored secret is sealed with it. The key itself is never shown."
      actions={
        data !== undefined && (
          <Button small busy={rotate.isPending} onClick={() => setAsking(true)}>
            {rotate.isPending ? 'Sealing anew…' : 'Rotate'}
          </Button>
        )
      }
    >
      {error !== null && <ProblemNotice error={error} />}
      {data === undefined && error === null && <Loading what="the master key" />}
      {data !== undefined && (
        <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[max-content_1fr]">
          <Fact label="Kept in">
            {PLACES[data.place.kind] ?? data.place.kind},{' '}
            <PlainLine text={data.place.name} className="mono" />
          </Fact>
          <Fact label="In use">
            <PlainLine text={data.active} className="mono" />
          </Fact>
          <Fact label="Retired">
            {data.retired.length === 0 ? (
              'none'
            ) : (
              <>
                <PlainLine text={data.retired.join(', ')} className="mono" />, still needed for what they
                sealed
              </>
            )}
          </Fact>
        </dl>
      )}
      <div aria-live="polite" className="mt-3 empty:hidden">
        {rotate.data !== undefined && (
          <Notice tone={rotate.data.unreadable > 0 ? 'warn' : 'good'}>
            {rotate.data.resealed} {rotate.data.resealed === 1 ? 'secret is' : 'secrets are'} sealed with the
            new key.
            {rotate.data.unreadable > 0 &&
              ` ${rotate.data.unreadable} could not be opened with any key and stayed as they are: store them anew.`}
          </Notice>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          title="Rotate the master key?"
          action="Make a new key"
          busy={rotate.isPending}
          problem={rotate.error !== null && <ProblemNotice error={rotate.error} />}
          onClose={close}
          onConfirm={() => rotate.mutate(undefined, { onSuccess: close })}
        >
          A new key is made and every secret is sealed with it, while the hub serves. Backups made before need
          the old key: keep it as long as you keep them.
        </ConfirmDialog>
      )}
    </Section>
  );
}
