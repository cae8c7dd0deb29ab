import { useSyncExternalStore } from 'react';

const STEP_MS = 15_000;
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for every time on the page; it stands still while nobody looks at one. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function toRelative(at: number, from: number): string {
  const difference = at - from;
  for (const [unit, size] of UNITS) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  }
  return difference > STEP_MS ? 'in a moment' : 'just now';
}

/** How long ago, with the exact time to look up. */
export function Ago({ at }: { readonly at: string }) {
  const from = useNow();
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {toRelative(Date.parse(at), Math.max(from, Date.parse(at)))}
    </time>
  );
}

export function ClockTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {clock.format(new Date(at))}
    </time>
  );
}

export function ExactTime({ at }: { readonly at: string }) {
  return <time dateTime={at}>{exact.format(new Date(at))}</time>;
}

export function toDuration(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
