import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { policyCheck, type PolicyCheck } from '../api/policies.js';
import { Badge } from '../shared/badge.js';
import { toPlainText } from '../shared/plain-text.js';
import { markTokens, offsetOf, readCedarTokens, type CedarKind, type Mark } from './cedar-tokens.js';

type Problem = PolicyCheck['problems'][number];

const TYPING_MS = 250;
/** Longer texts are shown without colours. */
const MOST_COLOURED = 60_000;
const NONE: readonly Problem[] = [];

const COLOURS: Readonly<Record<CedarKind, string>> = {
  comment: 'text-muted italic',
  string: 'text-good',
  annotation: 'text-warn',
  effect: 'font-bold text-accent',
  word: 'text-accent',
  variable: 'font-medium',
  type: 'text-warn',
  plain: '',
};
/** Both layers must break lines at the same places. */
const LAYER =
  'col-start-1 row-start-1 m-0 block w-full p-3 font-mono text-[0.867rem] leading-6 whitespace-pre-wrap wrap-anywhere [tab-size:4]';

/** A text in Cedar: typed into a field without ink, over the same text in colours. */
export function CedarEditor({
  text,
  readOnly,
  onText,
}: {
  readonly text: string;
  readonly readOnly: boolean;
  readonly onText?: (text: string) => void;
}) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const { problems, isCurrent } = useProblems(text, !readOnly);
  const marks = useMemo(
    () => (isCurrent ? problems.flatMap((problem) => toMark(text, problem)) : []),
    [text, problems, isCurrent],
  );
  function goTo(problem: Problem): void {
    const [mark] = toMark(text, problem);
    field.current?.focus();
    if (mark !== undefined) field.current?.setSelectionRange(mark.start, mark.end);
  }
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        Text (Cedar)
      </label>
      <div className="max-h-[36rem] overflow-auto rounded-md border border-edge bg-surface focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
        <div className="grid min-h-80">
          <Coloured text={text} marks={marks} />
          <textarea
            id={id}
            ref={field}
            required
            readOnly={readOnly}
            value={text}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
            aria-describedby={`${id}-problems`}
            aria-invalid={hasErrors || undefined}
            onChange={(event) => onText?.(event.target.value)}
            className={`${LAYER} resize-none overflow-hidden border-0 bg-transparent text-ink caret-ink outline-none [-webkit-text-fill-color:transparent]`}
          />
        </div>
      </div>
      <div id={`${id}-problems`} aria-live="polite" className="mt-2 min-h-6 text-sm">
        {!readOnly && text.trim() !== '' && problems.length === 0 && isCurrent && (
          <p className="text-good">Nothing is wrong with it.</p>
        )}
        {problems.length > 0 && <Problems problems={problems} onGo={goTo} />}
      </div>
    </div>
  );
}

function Coloured({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }) {
  const pieces = useMemo(() => {
    const tokens = text.length > MOST_COLOURED ? [{ kind: 'plain' as const, text }] : readCedarTokens(text);
    return markTokens(tokens, marks);
  }, [text, marks]);
  return (
    <pre aria-hidden className={`${LAYER} pointer-events-none select-none`}>
      {pieces.map(({ kind, text: part, tone }, index) => (
        // Parts have no names of their own, and all of them are new with every letter.
        <span
          key={index}
          className={`${COLOURS[kind]} ${tone === undefined ? '' : `underline decoration-wavy ${tone === 'error' ? 'decoration-bad' : 'decoration-warn'}`}`}
        >
          {part}
        </span>
      ))}
      {/* A line break at the end would not make a line. */}
      {'\n'}
    </pre>
  );
}

function Problems({
  problems,
  onGo,
}: {
  readonly problems: readonly Problem[];
  readonly onGo: (problem: Problem) => void;
}) {
  return (
    <ul aria-label="Problems" className="grid gap-1">
      {problems.map((problem, index) => (
        // The same may be wrong twice, and their order is that of the text.
        <li key={index} className="flex flex-wrap items-baseline gap-x-2">
          <Badge tone={problem.severity === 'error' ? 'bad' : 'warn'}>{problem.severity}</Badge>
          {problem.place !== undefined && (
            <button type="button" className="text-accent underline" onClick={() => onGo(problem)}>
              line {problem.place.line}, column {problem.place.column}
            </button>
          )}
          <span className="wrap-anywhere">{toPlainText(problem.message, 500)}</span>
          {problem.help !== undefined && (
            <span className="text-muted wrap-anywhere">{toPlainText(problem.help, 300)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What the hub says of the text, once the typing pauses. */
function useProblems(text: string, enabled: boolean) {
  const [checked, setChecked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    ...policyCheck(checked),
    enabled: enabled && checked.trim() !== '',
    placeholderData: (before) => before,
  });
  const isBlank = text.trim() === '';
  return {
    problems: isBlank || !enabled ? NONE : (data?.problems ?? NONE),
    isCurrent: checked === text && data !== undefined,
  };
}

function toMark(text: string, { place, severity }: Problem): readonly Mark[] {
  if (place === undefined) return [];
  const start = offsetOf(text, place.line, place.column);
  const end = offsetOf(text, place.endLine, place.endColumn);
  // What is missing at a place is shown at the letter beside it.
  return end > start
    ? [{ start, end, tone: severity }]
    : [{ start: Math.max(0, Math.min(start, text.length - 1)), end: Math.max(1, start + 1), tone: severity }];
}
