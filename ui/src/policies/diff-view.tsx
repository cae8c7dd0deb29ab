import { toPlainText } from '../shared/plain-text.js';
import type { DiffLine } from './diff-lines.js';

const LOOKS = {
  same: { sign: ' ', classes: '', spoken: '' },
  added: { sign: '+', classes: 'bg-good-soft', spoken: 'added: ' },
  removed: { sign: '-', classes: 'bg-bad-soft', spoken: 'removed: ' },
} as const;

/** Lines that came and went, by sign and ground. */
export function DiffView({ lines, label }: { readonly lines: readonly DiffLine[]; readonly label: string }) {
  return (
    <pre
      // A box that scrolls must be reachable by keyboard.
      tabIndex={0}
      role="region"
      aria-label={label}
      className="mono max-h-80 overflow-auto rounded-md border border-line wrap-anywhere whitespace-pre-wrap"
    >
      {lines.map(({ kind, text }, index) => {
        const { sign, classes, spoken } = LOOKS[kind];
        return (
          // Lines have no names of their own, and their order does not change.
          <span key={index} className={`block px-3 ${classes}`}>
            <span aria-hidden>{`${sign} `}</span>
            {spoken !== '' && <span className="sr-only">{spoken}</span>}
            {toPlainText(text, 2_000)}
          </span>
        );
      })}
    </pre>
  );
}
