import type { ServerDescription } from '../../model/index.js';
import type { Core } from '../core.js';
import type { SessionChanges } from '../legacy/legacy-peer.js';
import { LegacySession } from '../legacy/legacy-session.js';
import type { SessionRecord } from '../legacy/session-store.js';
import type { ChannelWriter } from './channel-reply.js';

/** A session that is as long as its channel. */
export class ChannelSession extends LegacySession {
  readonly #writer: ChannelWriter;

  constructor(core: Core, writer: ChannelWriter, record: SessionRecord, description: ServerDescription) {
    super(core, record, description);
    this.#writer = writer;
  }

  change(changes: SessionChanges): void {
    this.record = { ...this.record, ...changes };
  }

  protected tell(text: string): void {
    this.#writer.send(text);
  }
}
