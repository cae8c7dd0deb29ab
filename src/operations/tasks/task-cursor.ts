import { HubError, type TaskPosition } from '../../kernel/index.js';

/** Where a page of tasks ended. */
export function writeCursor({ createdAt, id }: TaskPosition): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url');
}

export function readCursor(cursor: string): TaskPosition {
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (Number.isSafeInteger(createdAt) && typeof id === 'string')
      return { createdAt: Number(createdAt), id };
  } catch {
    // Not one of ours.
  }
  throw new HubError('invalid_cursor', 'Unknown cursor');
}
