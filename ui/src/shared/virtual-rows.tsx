import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** A long list of which only what can be seen is in the page. More is fetched when its end comes near. */
export function VirtualRows<Item>({
  label,
  items,
  keyOf,
  rowHeight,
  render,
  more,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** As a first guess; rows are measured. */
  readonly rowHeight: number;
  readonly render: (item: Item) => ReactNode;
  readonly more?: { readonly has: boolean; readonly busy: boolean; readonly fetch: () => void };
}) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setMargin((before) => (Math.abs(before - top) > 1 ? top : before));
  });
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more?.has === true && !more.busy && last >= items.length - 20) more.fetch();
  }, [last, items.length, more]);
  return (
    <ul
      ref={list}
      aria-label={label}
      className="panel relative overflow-hidden"
      style={{ height: virtualizer.getTotalSize() + 2 }}
    >
      {rows.map((row) => {
        const item = items[row.index];
        return item === undefined ? null : (
          <li
            key={row.key}
            ref={virtualizer.measureElement}
            data-index={row.index}
            className={`absolute top-0 left-0 w-full ${row.index === items.length - 1 ? '' : 'border-b border-line'}`}
            style={{ transform: `translateY(${row.start - margin}px)` }}
          >
            {render(item)}
          </li>
        );
      })}
    </ul>
  );
}
