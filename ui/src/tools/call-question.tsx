import { useEffect, useId, useMemo, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { answerQuestion, type CallAnswer, type ToolCallQuestion } from '../api/tools.js';
import { Button } from '../shared/button.js';
import { Code } from '../shared/code.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Notice, ProblemNotice } from '../shared/notice.js';
import { PlainBlock } from '../shared/plain.js';
import { ClockTime } from '../shared/time.js';
import { fieldsOf, initialTexts, readArguments } from './schema-fields.js';
import { SchemaForm } from './schema-form.js';

const ASKERS: Readonly<Record<ToolCallQuestion['from'], string>> = {
  policy: 'A policy wants your consent',
  hub: 'The hub needs something of you',
  upstream: 'The server asks',
};

interface QuestionProps {
  readonly callId: string;
  readonly question: ToolCallQuestion;
}

interface FormProps {
  readonly question: ToolCallQuestion;
  readonly busy: boolean;
  readonly onAnswer: (answer: CallAnswer) => void;
}

/** Something a call waits for. It is answered here, while the call goes on. */
export function CallQuestion({ callId, question }: QuestionProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  // Whoever does not see it appear is taken there.
  useEffect(() => heading.current?.focus(), []);
  async function answer(given: CallAnswer): Promise<void> {
    setSending(true);
    setError(undefined);
    try {
      await answerQuestion(callId, question.id, given);
    } catch (problem) {
      setError(problem);
      setSending(false);
    }
  }
  const props: FormProps = { question, busy: sending, onAnswer: (given) => void answer(given) };
  return (
    <section aria-labelledby={id} className="panel mb-4 border-accent p-4">
      <h2 id={id} ref={heading} tabIndex={-1} className="text-lg font-semibold">
        {ASKERS[question.from]}
      </h2>
      <PlainBlock text={question.message} most={2_000} className="my-2" />
      {question.mode === 'url' ? <PageQuestion {...props} /> : <FormQuestion {...props} />}
      <p className="mt-3 text-sm text-muted">
        It can be answered until <ClockTime at={question.expiresAt} />. The call waits meanwhile.
      </p>
      {error !== undefined && <ProblemNotice error={error} />}
    </section>
  );
}

function FormQuestion({ question, busy, onAnswer }: FormProps) {
  const fields = useMemo(() => fieldsOf(question.requestedSchema ?? {}), [question.requestedSchema]);
  const [texts, setTexts] = useState(() => initialTexts(fields));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  function submit(event: FormEvent): void {
    event.preventDefault();
    const outcome = readArguments(fields, texts);
    setProblems('problems' in outcome ? outcome.problems : {});
    if ('args' in outcome) onAnswer({ action: 'accept', content: outcome.args });
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {fields.length > 0 && (
        <>
          {question.from === 'upstream' && (
            <p className="text-sm text-muted">
              What you enter goes to the server. Give no passwords or keys.
            </p>
          )}
          <SchemaForm
            fields={fields}
            texts={texts}
            problems={problems}
            onText={(key, text) => setTexts((before) => ({ ...before, [key]: text }))}
          />
        </>
      )}
      <Answers busy={busy} onAnswer={onAnswer}>
        <Button kind="primary" type="submit" busy={busy}>
          {question.from === 'policy' ? 'Confirm' : 'Send the answer'}
        </Button>
      </Answers>
    </form>
  );
}

/** A page is opened only by who has seen whose it is. */
function PageQuestion({ question, busy, onAnswer }: FormProps) {
  const [asking, setAsking] = useState(false);
  const page = pageOf(question.url);
  return (
    <div className="grid gap-3">
      {page === undefined ? (
        <Notice tone="warn">The address is none that a browser should open.</Notice>
      ) : (
        <p>
          The page is at <strong className="mono wrap-anywhere">{page.host}</strong>.
        </p>
      )}
      <Code label="Address of the page" text={question.url ?? ''} />
      <Answers busy={busy} onAnswer={onAnswer}>
        <Button kind="primary" disabled={page === undefined} busy={busy} onClick={() => setAsking(true)}>
          Open the page…
        </Button>
      </Answers>
      {asking && page !== undefined && (
        <ConfirmDialog
          title={`Open ${page.host}?`}
          action="Open in a new window"
          busy={busy}
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            window.open(page.href, '_blank', 'noopener,noreferrer');
            onAnswer({ action: 'accept' });
          }}
        >
          <p>
            You leave the console for a page of <strong className="mono wrap-anywhere">{page.host}</strong>.
            Enter there only what you would tell them anyway.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Answers({
  busy,
  onAnswer,
  children,
}: Pick<FormProps, 'busy' | 'onAnswer'> & { readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-2">
      {children}
      <Button disabled={busy} onClick={() => onAnswer({ action: 'decline' })}>
        Decline
      </Button>
      <Button kind="quiet" disabled={busy} onClick={() => onAnswer({ action: 'cancel' })}>
        Dismiss
      </Button>
    </div>
  );
}

function pageOf(url = ''): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const page = new URL(url);
  return page.protocol === 'https:' || page.protocol === 'http:' ? page : undefined;
}
