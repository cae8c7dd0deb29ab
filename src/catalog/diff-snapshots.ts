import { hashOf } from './build-snapshot.js';
import type { Snapshot, SnapshotDiff } from './snapshot.js';

/** What changed for somebody who knows the tools by name; prompts and resources are told with their kind. */
export function diffSnapshots(before: Snapshot | undefined, after: Snapshot): SnapshotDiff {
  const old = before === undefined ? new Map<string, string>() : fingerprints(before);
  const now = fingerprints(after);
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].filter(([name, hash]) => old.has(name) && old.get(name) !== hash).map(([name]) => name),
  };
}

function fingerprints(snapshot: Snapshot): Map<string, string> {
  return new Map([
    ...snapshot.tools.map((tool) => [tool.name, hashOf(tool)] as const),
    ...snapshot.prompts.map((prompt) => [`prompt ${prompt.name}`, hashOf(prompt)] as const),
    ...snapshot.resources.map((resource) => [`resource ${resource.uri}`, hashOf(resource)] as const),
    ...snapshot.templates.map((template) => [`template ${template.uriTemplate}`, hashOf(template)] as const),
  ]);
}
