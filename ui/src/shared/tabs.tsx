import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

export interface TabView {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
}

/** Views side by side, of which one is shown. Arrow keys go from one to the next. */
export function Tabs({
  label,
  views,
  value,
  onChange,
}: {
  readonly label: string;
  readonly views: readonly TabView[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}) {
  const chosen = value === undefined ? { defaultValue: views[0]?.id } : { value };
  return (
    <Radix.Root {...chosen} onValueChange={(next) => onChange?.(next)}>
      <Radix.List aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {views.map((view) => (
          <Radix.Trigger
            key={view.id}
            value={view.id}
            className="-mb-px shrink-0 rounded-t border-b-2 border-transparent px-3 py-2 font-medium text-muted -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {view.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {views.map((view) => (
        <Radix.Content key={view.id} value={view.id} className="-outline-offset-2">
          {view.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
