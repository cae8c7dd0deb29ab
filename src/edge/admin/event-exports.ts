import type { EventFilters } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import type { AdminCaller, EventFilter } from '../../operations/index.js';
import type { AdminDependencies } from './dependencies.js';
import { toLines } from './line-stream.js';
import { toEventView } from './views/event-view.js';

/** Each reads the whole log; more at a time would only take turns. */
const MOST = 4;
const FILE = 'attachment; filename="crosspoint-events.jsonl"';

interface ExportRequest {
  readonly by: AdminCaller;
  readonly query: EventFilters;
  readonly filter: EventFilter;
  readonly signal: AbortSignal;
}

/** The log as a file. Throws `overloaded` where several are being made already. */
export function createEventExports({
  operations,
  shutdown,
  streams,
}: Pick<AdminDependencies, 'operations' | 'shutdown' | 'streams'>) {
  let open = 0;
  return {
    async open({ by, query, filter, signal }: ExportRequest) {
      if (open >= MOST)
        throw new HubError('overloaded', `${MOST} exports are under way`, { retryAfterMs: 5_000 });
      open++;
      const onClose = (): void => void open--;
      try {
        const pages = await operations.exportEvents({ by, filter, filters: given(query) });
        const both = shutdown === undefined ? signal : AbortSignal.any([signal, shutdown]);
        const stream = toLines(toViews(pages), {
          signal: both,
          onClose,
          ...(streams?.stallMs !== undefined && { stallMs: streams.stallMs }),
        });
        return { stream, headers: { 'content-disposition': FILE } };
      } catch (error) {
        onClose();
        throw error;
      }
    },
  };
}

type Pages = Awaited<ReturnType<AdminDependencies['operations']['exportEvents']>>;

async function* toViews(pages: Pages): AsyncGenerator<object> {
  for await (const page of pages) yield page.map(toEventView);
}

function given(query: EventFilters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
