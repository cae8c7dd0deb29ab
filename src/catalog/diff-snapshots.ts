import { hashOf, type DigestOf } from './build-snapshot.js';
import type { Snapshot, SnapshotDiff } from './snapshot.js';

/** What changed for somebody who knows the tools by name; prompts and resources are told with their kind. */
export function diffSnapshots(
  before: Snapshot | undefined,
  after: Snapshot,
  digestOf: DigestOf = hashOf,
): SnapshotDiff {
  const old = before === undefined ? new Map<string, string>() : fingerprints(before, digestOf);
  const now = fingerprints(after, digestOf);
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].filter(([name, hash]) => old.has(name) && old.get(name) !== hash).map(([name]) => name),
  };
}

function fingerprints(snapshot: Snapshot, digestOf: DigestOf): Map<string, string> {
  return new Map([
    ...snapshot.tools.map((tool) => [tool.name, digestOf(tool)] as const),
    ...snapshot.prompts.map((prompt) => [`prompt ${prompt.name}`, digestOf(prompt)] as const),
    ...snapshot.resources.map((resource) => [`resource ${resource.uri}`, digestOf(resource)] as const),
    ...snapshot.templates.map(
      (template) => [`template ${template.uriTemplate}`, digestOf(template)] as const,
    ),
  ]);
}
