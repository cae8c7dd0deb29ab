import { X } from 'lucide-react';
import { useId, useLayoutEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { Button } from './button.js';

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the element is gone: only a dialog that is closed gives the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Whoever opened it came to fill it in or to read what it shows, not to close it: a key is shown only once.
    dialog?.querySelector<HTMLElement>('input, select, textarea, [role=region]')?.focus();
    return () => {
      dialog?.close();
      // Where it came from may be gone with it.
      setTimeout(() => {
        if (document.activeElement === document.body)
          document.getElementById('main')?.focus({ preventScroll: true });
      });
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="panel m-auto w-[min(38rem,calc(100vw-1.5rem))] max-w-none p-5 text-ink shadow-xl"
    >
      <div className="mb-3 flex items-start justify-between gap-3">
        <h2 id={id} className="text-lg font-semibold wrap-anywhere">
          {title}
        </h2>
        <Button kind="quiet" small aria-label="Close" onClick={onClose}>
          <X aria-hidden className="size-4" />
        </Button>
      </div>
      {children}
    </dialog>
  );
}

/** Something to fill in, with the way back and the way on below it. */
export function FormDialog({
  title,
  action,
  busy,
  problem,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  /** What the button says. */
  readonly action: string;
  readonly busy: boolean;
  readonly problem: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  function submit(event: FormEvent): void {
    event.preventDefault();
    onSubmit();
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        {children}
        {problem}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ConfirmDialog({
  title,
  action,
  busy,
  problem,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  /** What the button says. */
  readonly action: string;
  readonly busy: boolean;
  readonly problem?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="mb-4">{children}</div>
      {problem}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
