/**
 * Durable state: the implementation of every store port on SQLite and on Postgres. The only SQL.
 *
 * Invariants: a write that was acknowledged is there after a crash; a write is whole or absent; secrets are in the
 * database only sealed, each bound to its place; a store that is damaged, newer, sealed with another key or used by
 * another hub is refused, never replaced by an empty one.
 */
export { openStorage } from './open-storage.js';
export type { Storage, StorageOptions } from './storage.js';
export { appendedRecords, type AppendedEvents, type EventPrimary } from './sqlite/event-primary.js';
export { restoreStorage, type Restored, type RestoreOptions } from './backup/restore-storage.js';
export { createSealer, type MasterKey, type MasterKeys, type SealContext, type Sealer } from './sealer.js';
export type { RotationOptions, RotationReport } from './rotate-secrets.js';
export type { DataKeyStore } from './stores/data-key-store.js';
export type { InstanceStore } from './stores/instance-store.js';
export type { SettingsStore } from './stores/settings-store.js';
