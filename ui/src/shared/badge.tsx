import type { ReactNode } from 'react';

const TONES = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  plain: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent-strong',
} as const;

export type Tone = keyof typeof TONES;

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-block max-w-full truncate rounded px-1.5 py-0.5 align-middle text-[0.8rem] leading-4 font-medium ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
