import type { ConnectorId } from '../kernel/index.js';

/** What becomes of an account without anybody's doing. */
export type AccountEvent =
  | {
      readonly type: 'account.renewed';
      readonly connector: ConnectorId;
      readonly owner: string;
      readonly account: string;
    }
  | {
      readonly type: 'account.needs_sign_in' | 'account.failed';
      readonly connector: ConnectorId;
      readonly owner: string;
      readonly account: string;
      /** Fixed words of ours. */
      readonly reason: string;
    };
