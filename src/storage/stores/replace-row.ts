import type { UpdateResult } from 'kysely';
import { HubError } from '../../kernel/index.js';

/** An update that names the version it expects has changed one row, or tells why not. */
export async function requireReplaced(result: UpdateResult, exists: () => Promise<unknown>): Promise<void> {
  if (result.numUpdatedRows > 0n) return;
  if ((await exists()) === undefined) throw new HubError('not_found', 'it does not exist');
  throw new HubError('precondition_failed', 'it was changed meanwhile: read it again');
}
