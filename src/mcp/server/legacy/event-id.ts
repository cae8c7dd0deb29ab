/** Event ids name their stream, so that a client that comes back is given the rest of that stream and of no other. */
export function eventId(stream: string, seq: number | ''): string {
  return `${stream}.${seq}`;
}

const EVENT_ID = /^([A-Za-z0-9_-]{1,40})\.(0|[1-9]\d{0,14})$/;

export function parseEventId(text: string): { readonly stream: string; readonly seq: number } | undefined {
  const [, stream, seq] = EVENT_ID.exec(text) ?? [];
  return stream === undefined || seq === undefined ? undefined : { stream, seq: Number(seq) };
}
