import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.js';
import { writeJson } from './exact-json.js';
import { toPlainText } from './plain-text.js';

const SHOWN_MS = 2_000;

function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  }
  const Icon = state === 'copied' ? Check : Copy;
  return (
    <Button small onClick={() => void copy()}>
      <Icon aria-hidden className="size-3.5" />
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select and copy by hand' : label}
      </span>
    </Button>
  );
}

const MOST_CHARACTERS = 200_000;

/** Text as it is, with a button that copies it whole. It can be reached and scrolled by keyboard. */
export function Code({
  text,
  label,
  copy = true,
  tall = false,
}: {
  readonly text: string;
  /** What it is, for who does not see it. */
  readonly label: string;
  readonly copy?: boolean;
  readonly tall?: boolean;
}) {
  return (
    <div className="relative">
      <pre
        // A box that scrolls must be reachable by keyboard.
        tabIndex={0}
        role="region"
        aria-label={label}
        className={`mono overflow-auto rounded-md border border-line bg-sunken p-3 wrap-anywhere whitespace-pre-wrap ${tall ? 'max-h-[36rem]' : 'max-h-80'} ${copy ? 'pt-11 sm:pt-3 sm:pr-28' : ''}`}
      >
        {toPlainText(text, MOST_CHARACTERS)}
      </pre>
      {copy && (
        <div className="absolute top-2 right-2">
          <CopyButton text={text} />
        </div>
      )}
    </div>
  );
}

export function JsonCode({
  value,
  label,
  tall = false,
}: {
  readonly value: unknown;
  readonly label: string;
  readonly tall?: boolean;
}) {
  return <Code text={writeJson(value, 2)} label={label} tall={tall} />;
}
