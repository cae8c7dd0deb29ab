import { useEffect, type ReactNode } from 'react';

/** The head of a page, and its name in the window's title. */
export function Page({
  title,
  name = title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  /** Where the heading is more than the title. */
  readonly name?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Crosspoint`;
  }, [title]);
  return (
    <>
      <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{name}</h1>
          {lead !== undefined && <div className="mt-1 max-w-prose text-muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Section({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel mb-4 p-4">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{title}</h2>
          {lead !== undefined && <div className="max-w-prose text-sm text-muted">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="rounded-lg border border-dashed border-edge px-6 py-10 text-center">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>}
      {action !== undefined && action !== false && (
        <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>
      )}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p role="status" className="py-6 text-muted">
      Loading {what}…
    </p>
  );
}
