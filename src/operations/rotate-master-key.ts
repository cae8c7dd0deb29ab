import type { EventLog } from '../governance/index.js';
import { toActor, type AdminCaller } from './admin.js';

/** Which keys seal what the hub keeps. Names only; the keys themselves stay where they are. */
export interface MasterKeyState {
  readonly place: { readonly kind: string; readonly name: string };
  readonly active: string;
  /** Still needed for what they sealed. */
  readonly retired: readonly string[];
}

export interface RotatedMasterKey extends MasterKeyState {
  readonly resealed: number;
  /** What no key opens. */
  readonly unreadable: number;
}

export interface MasterKeyPort {
  state(): MasterKeyState;
  /** Makes a new key and seals everything with it, while the hub serves. */
  rotate(): Promise<RotatedMasterKey>;
}

export interface RotateMasterKeyDependencies {
  readonly masterKey: MasterKeyPort;
  readonly events: Pick<EventLog, 'append'>;
}

export type RotateMasterKey = (request: { readonly by: AdminCaller }) => Promise<RotatedMasterKey>;

export function createRotateMasterKey({ masterKey, events }: RotateMasterKeyDependencies): RotateMasterKey {
  return async function rotateMasterKey({ by }) {
    const before = masterKey.state().active;
    const rotated = await masterKey.rotate();
    const { active, resealed, unreadable } = rotated;
    events.append(toActor(by), {
      type: 'master_key.rotated',
      from: before,
      to: active,
      resealed,
      unreadable,
    });
    return rotated;
  };
}
