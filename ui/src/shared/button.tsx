import { Link, type LinkProps } from '@tanstack/react-router';
import { useRef, type ButtonHTMLAttributes, type MouseEvent, type ReactNode } from 'react';

const KINDS = {
  primary: 'border-accent bg-accent text-on-accent hover:bg-accent-strong hover:border-accent-strong',
  plain: 'border-edge bg-surface text-ink hover:bg-sunken',
  quiet: 'border-transparent bg-transparent text-ink hover:bg-sunken',
  danger: 'border-bad bg-surface text-bad hover:bg-bad-soft',
} as const;

export type ButtonKind = keyof typeof KINDS;

function classesOf(kind: ButtonKind, small: boolean, more = ''): string {
  const size = small ? 'min-h-7 px-2 text-sm' : 'min-h-9 px-3';
  return `inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap aria-disabled:cursor-default aria-disabled:opacity-60 ${size} ${KINDS[kind]} ${more}`;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /** What it is doing is under way. */
  readonly busy?: boolean;
}

export function Button({
  kind = 'plain',
  small = false,
  busy = false,
  disabled = false,
  className,
  onClick,
  ...others
}: ButtonProps) {
  const isOff = busy || disabled;
  const wasPressed = useRef(false);
  const press = (event: MouseEvent<HTMLButtonElement>): void => {
    // Pressed again before it is shown that it was pressed.
    if (isOff || wasPressed.current) {
      event.preventDefault();
      return;
    }
    wasPressed.current = true;
    onClick?.(event);
    setTimeout(() => (wasPressed.current = false));
  };
  return (
    <button
      type="button"
      {...others}
      // Not `disabled`: that would take the focus from whoever pressed it by keyboard.
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      onClick={press}
      className={classesOf(kind, small, className)}
    />
  );
}

export function ButtonLink({
  kind = 'plain',
  small = false,
  children,
  ...link
}: LinkProps & { readonly kind?: ButtonKind; readonly small?: boolean; readonly children: ReactNode }) {
  return (
    <Link {...link} className={classesOf(kind, small)}>
      {children}
    </Link>
  );
}

/** Saves what an address of the hub answers as a file. */
export function DownloadLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} download className={classesOf('plain', false)}>
      {children}
    </a>
  );
}
