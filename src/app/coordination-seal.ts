import { createSealer, type Storage } from '../storage/index.js';
import type { MessageSeal } from '../coordination/index.js';

/** What hubs on one store say and keep between them is theirs, whoever else reaches the service in between. */
export async function openCoordinationSeal({ dataKeys }: Storage): Promise<MessageSeal> {
  const sealer = createSealer({
    active: { id: 'coordination', key: await dataKeys.require('coordination') },
  });
  const at = (place: string) => ({ table: 'coordination', record: place, field: 'message' });
  return {
    seal: (text, place) => sealer.seal(text, at(place)),
    open: (sealed, place) => sealer.open(sealed, at(place)),
  };
}
