import { useEffect, useRef, useState } from 'react';
import { loadAnew, MissingPart } from '../api/fetched.js';
import { useLiveState } from '../api/use-live.js';
import { Button } from '../shared/button.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { Page } from '../shared/page.js';

/** A console that has only just been loaded is not loaded again: where a file is missing, that would never end. */
const FRESH_MS = 10_000;

export function ErrorPage({ error }: { readonly error: unknown }) {
  return (
    <Page title="Something went wrong">
      {error instanceof MissingPart ? <Missing /> : <ProblemNotice error={error} />}
    </Page>
  );
}

/** The hub is away, or a newer one has come whose console has other files. */
function Missing() {
  const state = useLiveState();
  const [trying, setTrying] = useState(false);
  const wasLost = useRef(false);
  useEffect(() => {
    wasLost.current ||= state === 'lost';
    if (state === 'live' && (wasLost.current || performance.now() > FRESH_MS))
      loadAnew().catch(() => undefined);
  }, [state]);
  async function tryAgain(): Promise<void> {
    setTrying(true);
    await loadAnew().catch(() => undefined);
    setTrying(false);
  }
  return (
    <Notice
      tone="bad"
      action={
        <Button small busy={trying} onClick={() => void tryAgain()}>
          Try again
        </Button>
      }
    >
      <p className="font-medium">This page could not be fetched from the hub.</p>
      <p>It is shown as soon as the hub answers again.</p>
    </Notice>
  );
}
