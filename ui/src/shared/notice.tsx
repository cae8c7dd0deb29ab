import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { toProblem } from '../api/problem.js';
import { toPlainText } from './plain-text.js';

const TONES = {
  good: { classes: 'border-good bg-good-soft', ink: 'text-good', Icon: CircleCheck },
  warn: { classes: 'border-warn bg-warn-soft', ink: 'text-warn', Icon: TriangleAlert },
  bad: { classes: 'border-bad bg-bad-soft', ink: 'text-bad', Icon: CircleAlert },
  info: { classes: 'border-line bg-sunken', ink: 'text-muted', Icon: Info },
} as const;

interface NoticeProps {
  readonly tone: keyof typeof TONES;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Something to know. Failures are told at once to whoever does not see them, the rest when there is time. */
export function Notice({ tone, children, action }: NoticeProps) {
  const { classes, ink, Icon } = TONES[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md border px-3 py-2 ${classes}`}
    >
      <Icon aria-hidden className={`mt-1 size-4 shrink-0 ${ink}`} />
      <div className="min-w-0 flex-1 basis-60 wrap-anywhere">{children}</div>
      {action}
    </div>
  );
}

/** A failure of the hub in plain words, with what to do about it. */
export function ProblemNotice({
  error,
  prefix = '',
  action,
}: {
  readonly error: unknown;
  readonly prefix?: string;
  readonly action?: ReactNode;
}) {
  const { text, next, reasons } = toProblem(error);
  return (
    <Notice tone="bad" action={action}>
      <p className="font-medium">
        {prefix}
        {toPlainText(text, 1_000)}
      </p>
      {reasons.length > 0 && (
        <ul className="list-disc pl-5">
          {reasons.map((reason) => (
            <li key={reason} className="whitespace-pre-wrap">
              {toPlainText(reason, 500)}
            </li>
          ))}
        </ul>
      )}
      {next !== undefined && <p>{next}</p>}
    </Notice>
  );
}
