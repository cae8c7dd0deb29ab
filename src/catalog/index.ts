/** What upstreams offer: immutable snapshots, the names under which we offer them, and what one agent can see. */
export type {
  ExposedNames,
  ListTtls,
  NamePair,
  RejectedOffer,
  Snapshot,
  SnapshotDiff,
  SnapshotReader,
  SnapshotStore,
  UpstreamIdentity,
} from './snapshot.js';
export { aggregateRule, assignNames, providerRule, type NamingRule } from './exposed-names.js';
export { acceptedTools, buildSnapshot, hashOf, heldTools, type Listing } from './build-snapshot.js';
export { OfferDigests } from './offer-digests.js';
export { diffSnapshots } from './diff-snapshots.js';
export {
  buildSurface,
  type CatalogEntry,
  type Permits,
  type PromptEntry,
  type Surface,
  type SurfaceScope,
  type ToolEntry,
} from './surface.js';
export { exposeTool } from './shown-tools.js';
export { withUsageGuide } from './usage-guide.js';
export type { ResourceOwner } from './resource-router.js';
export { matchesAny } from './tool-pattern.js';
export { createSchemaIndex } from './schema-index.js';
export { createLiveCatalog, type LiveCatalog } from './live-catalog.js';
