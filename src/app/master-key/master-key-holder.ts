import { HubError, type Clock } from '../../kernel/index.js';
import type { MasterKeyPort, MasterKeyState, RotatedMasterKey } from '../../operations/index.js';
import { createSealer, type MasterKey, type MasterKeys, type Storage } from '../../storage/index.js';
import { resealVariables } from '../sealed-variables.js';
import type { KeyPlace } from './key-place.js';
import { createMasterKey, formatKeyRing } from './key-ring.js';
import { requireMasterKeys } from './open-master-keys.js';

/** The master keys of a running hub: which there are, and how one takes the place of another. */
export class MasterKeyHolder implements MasterKeyPort {
  readonly #parts: MasterKeyParts;
  #keys: MasterKeys;
  #rotating = false;

  constructor(parts: MasterKeyParts) {
    this.#parts = parts;
    this.#keys = parts.keys;
  }

  /** Seals now. */
  get active(): MasterKey {
    return this.#keys.active;
  }

  state(): MasterKeyState {
    const { kind, name } = this.#parts.place;
    const { active, retired = [] } = this.#keys;
    return { place: { kind, name }, active: active.id, retired: retired.map(({ id }) => id) };
  }

  async rotate(): Promise<RotatedMasterKey> {
    if (this.#rotating) throw new HubError('conflict', 'the master key is being changed already');
    this.#rotating = true;
    try {
      await this.#activateNext();
      // Before anything is sealed anew: whoever does not know the key could not read it, or go on sealing with the old one.
      await this.#parts.tellOthers?.();
      const rotated = await this.#sealAnew();
      await this.#parts.tellOthers?.().catch(() => {});
      return rotated;
    } finally {
      this.#rotating = false;
    }
  }

  /** Takes the keys as they are now: another process on the same data folder has changed them. */
  async adopt(): Promise<void> {
    const { active: before } = this.#keys;
    this.#keys = requireMasterKeys(this.#parts.place);
    const { active } = this.#keys;
    if (active.id !== before.id) await this.#parts.storage.changeMasterKey(active);
  }

  /** Where the hub may write, it makes the next key and keeps it, together with the old ones, before anything is sealed with it. */
  async #activateNext(): Promise<void> {
    const { place, storage, clock } = this.#parts;
    const { active, retired = [] } = this.#keys;
    if (place.write === undefined) {
      if (retired.length > 0) return;
      throw new HubError(
        'conflict',
        `the master key comes from ${place.name}, which the hub cannot change: put a new key there before the old one (two lines, or with a blank between), restart, and rotate again`,
      );
    }
    const next = createMasterKey(clock.now());
    const keys = { active: next, retired: [active, ...retired] };
    place.write(formatKeyRing(keys));
    this.#keys = keys;
    await storage.changeMasterKey(next);
  }

  async #sealAnew(): Promise<RotatedMasterKey> {
    const { place, storage, dataDir } = this.#parts;
    const { resealed, unreadable } = await storage.rotateSecrets();
    const variables = resealVariables(dataDir, createSealer(this.#keys));
    if (unreadable.length === 0 && place.write !== undefined) {
      this.#keys = { active: this.#keys.active };
      place.write(formatKeyRing(this.#keys));
    }
    return { ...this.state(), resealed: resealed + variables, unreadable: unreadable.length };
  }
}

export interface MasterKeyParts {
  readonly place: KeyPlace;
  readonly keys: MasterKeys;
  readonly dataDir: string;
  readonly storage: Pick<Storage, 'changeMasterKey' | 'rotateSecrets'>;
  readonly clock: Clock;
  /** Has other processes on the same data folder adopt the keys. Rejects unless all have. */
  readonly tellOthers?: (() => Promise<void>) | undefined;
}
