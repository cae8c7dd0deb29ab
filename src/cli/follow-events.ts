import { ADMIN_ROUTES, type EventFilters, type EventView } from '../contract/index.js';
import { parseJson, TOLERANT_JSON } from '../mcp/jsonrpc/index.js';
import { SseDecoder } from '../mcp/sse/index.js';
import { CliError } from './cli-error.js';
import type { HubClient } from './hub-client.js';

const MAX_EVENT_BYTES = 16 * 1024 * 1024;

export interface FollowOptions {
  readonly filters: EventFilters;
  /** Sequence of the last event that is known already. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EventView) => void;
}

/** Events as they are kept, without a gap to those that are known. Ends with the signal; throws when the hub ends first. */
export async function followEvents(
  hub: HubClient,
  { filters, after, signal, onEvent }: FollowOptions,
): Promise<void> {
  const decoder = new SseDecoder({
    maxDataBytes: MAX_EVENT_BYTES,
    onEvent: ({ data }) => {
      if (data === '') return;
      const event = parseJson(data, TOLERANT_JSON);
      if (isEvent(event)) onEvent(event);
    },
  });
  try {
    const stream = await hub.stream(ADMIN_ROUTES.events.stream, filters, {
      signal,
      ...(after !== undefined && { lastEventId: String(after) }),
    });
    for await (const chunk of stream) decoder.push(chunk);
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof CliError ? error : ended(error);
  }
  if (!signal.aborted) throw ended(undefined);
}

/** The rest of an event is shown as it comes. */
function isEvent(value: unknown): value is EventView {
  if (typeof value !== 'object' || value === null) return false;
  const { sequence, at, type, actor } = value as Readonly<Record<string, unknown>>;
  return (
    typeof sequence === 'number' &&
    typeof at === 'string' &&
    typeof type === 'string' &&
    typeof actor === 'object' &&
    actor !== null
  );
}

function ended(cause: unknown): CliError {
  return new CliError('the hub ended the stream of events', {
    code: 'connection_lost',
    hint: 'It may have been stopped.',
    cause,
  });
}
