/** Dated protocol versions, newest first. This folder is the only code that names one. */
export const MODERN_REVISIONS = ['2026-07-28'] as const;
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

export type ModernRevision = (typeof MODERN_REVISIONS)[number];
export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];
export type Revision = ModernRevision | LegacyRevision;
export type Era = 'legacy' | 'modern';

export const NEWEST_MODERN: ModernRevision = MODERN_REVISIONS[0];
/** The modern era starts here. */
const FIRST_MODERN: ModernRevision = '2026-07-28';
export const NEWEST_LEGACY: LegacyRevision = LEGACY_REVISIONS[0];
/** Assumed of a legacy request outside a session that names no version. */
export const ASSUMED_LEGACY: LegacyRevision = '2025-03-26';

export function isModernRevision(value: unknown): value is ModernRevision {
  return (MODERN_REVISIONS as readonly unknown[]).includes(value);
}

/** Whether a version is dated in the modern era, also when we do not speak it. */
export function isModernDate(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && value >= FIRST_MODERN;
}

/** Whether a version precedes the modern era, also when we do not speak it. */
export function isBeforeModern(version: string): boolean {
  return version < FIRST_MODERN;
}

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return (LEGACY_REVISIONS as readonly unknown[]).includes(value);
}

/** A server echoes a version it speaks and otherwise offers its newest. */
export function negotiateLegacy(requested: unknown): LegacyRevision {
  return isLegacyRevision(requested) ? requested : NEWEST_LEGACY;
}

/** Dates compare as text. */
export function isAtLeast(revision: LegacyRevision, minimum: LegacyRevision): boolean {
  return revision >= minimum;
}

/** Only this revision has arrays of messages. */
export function allowsBatches(revision: LegacyRevision): boolean {
  return revision === '2025-03-26';
}

/** From here on none has them. */
export const OLDEST_WITHOUT_BATCHES: LegacyRevision = '2025-06-18';

/** Clients of older revisions fail on the empty event that makes a stream resumable from its start. */
export function understandsPriming(revision: LegacyRevision): boolean {
  return isAtLeast(revision, '2025-11-25');
}

/** Whether a client can be sent to pages, and told that they were visited. */
export function hasUrlElicitation(revision: LegacyRevision): boolean {
  return isAtLeast(revision, '2025-11-25');
}

/** Tasks were part of one legacy revision, as an experiment, and are an extension of the modern ones. */
export function hasLegacyTasks(revision: LegacyRevision): boolean {
  return isAtLeast(revision, '2025-11-25');
}
