import type { Authenticator } from '../agents/index.js';
import type { SnapshotStore } from '../catalog/index.js';
import type { Replicas } from './replicas.js';
import type { Signal } from './signal.js';

/** What one replica is told to forget, all forget. */
export function announcing(authenticator: Authenticator, replicas: Replicas, changed: Signal): Authenticator {
  const forget = (): void => {
    authenticator.forget();
    changed.emit();
  };
  replicas.hear('agents', forget);
  return {
    ...authenticator,
    forget() {
      forget();
      replicas.announce('agents');
    },
  };
}

/** Other replicas offer it as soon as it is stored. */
export function announcingSnapshots(snapshots: SnapshotStore, replicas: Replicas): SnapshotStore {
  return {
    ...snapshots,
    async save(snapshot, diff) {
      await snapshots.save(snapshot, diff);
      replicas.announce('snapshots', snapshot.connectorId);
    },
  };
}
