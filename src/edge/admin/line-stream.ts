/** How long a client may leave what was sent unread. */
const STALL_MS = 60_000;
const encoder = new TextEncoder();

/**
 * JSON documents, one to a line, each as soon as it is known. The next is fetched when the client has taken the one
 * before, so however much there is, no more than that is held. Whoever does not read in time is let go.
 */
export function toLines(
  documents: AsyncIterable<object>,
  {
    signal,
    stallMs = STALL_MS,
    onClose = () => {},
  }: { readonly signal: AbortSignal; readonly stallMs?: number; readonly onClose?: () => void },
): ReadableStream<Uint8Array> {
  const source = documents[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    onClose();
    source.return?.().catch(() => {});
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        try {
          const next = await source.next();
          if (ended) return controller.close();
          if (next.done === true) {
            end();
            return controller.close();
          }
          controller.enqueue(encoder.encode(toText(next.value)));
          timer = setTimeout(() => {
            end();
            controller.error(new Error('the client does not read'));
          }, stallMs);
          timer.unref();
        } catch (error) {
          // The client notices by the connection that breaks; an answer that began cannot become a failure.
          end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A page of documents is several lines. */
function toText(value: object): string {
  const documents: readonly object[] = Array.isArray(value) ? value : [value];
  return documents.map((document) => `${JSON.stringify(document)}\n`).join('');
}
