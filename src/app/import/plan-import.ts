import { parseConnector } from '../../connectors/index.js';
import { isName } from '../../kernel/index.js';
import { checkConnector } from './check-connector.js';
import type { ClientPlace } from './clients.js';
import { toLocal } from './import-local.js';
import { toRemote } from './import-remote.js';
import type { ImportedServer } from './imported-server.js';
import { inputsIn, type PlaceholderSources } from './placeholders.js';
import type { ClientContent, ClientInput, ServerEntry } from './read-client-file.js';
import { readEntry } from './read-entry.js';
import { createTurnedOff } from './turned-off.js';
import { createVariableNames, type VariableNames } from './variable-names.js';

export interface ImportRequest {
  readonly content: ClientContent;
  readonly place: ClientPlace;
  /** Answers to the inputs of the file, by their id. */
  readonly answers: Readonly<Record<string, string>>;
  /** What `${env:NAME}` gives already, by name. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

/** What would become of each server of a client. Of several with one name the first counts. */
export function planImport(request: ImportRequest): readonly ImportedServer[] {
  const names = createVariableNames(request.variables);
  const isTurnedOff = createTurnedOff(request.place);
  const ids = new Set<string>();
  const servers = new Map<string, ImportedServer>();
  for (const entry of request.content.servers) {
    if (servers.has(entry.name)) continue;
    const id = chooseId(entry.name, ids);
    ids.add(id);
    servers.set(entry.name, toImported(id, entry, { ...request, isTurnedOff }, names));
  }
  return [...servers.values()];
}

/** The inputs that the servers of a file really use. */
export function questionsOf({ servers, inputs }: ClientContent): readonly ClientInput[] {
  const used = new Set(inputsIn(JSON.stringify(servers.map(({ settings }) => settings))));
  return inputs.filter(({ id }) => used.has(id));
}

function toImported(
  id: string,
  entry: ServerEntry,
  request: ImportRequest & { readonly isTurnedOff: (entry: ServerEntry) => boolean },
  names: VariableNames,
): ImportedServer {
  const { name, file } = entry;
  const { place, answers, now } = request;
  const sources: PlaceholderSources = {
    environment: place.environment,
    home: place.home,
    workspace: entry.project ?? place.folder,
    answers: withFallbacks(request.content.inputs, answers),
  };
  try {
    const given = readEntry(entry, sources);
    const raw = { ...given, enabled: given.enabled && !request.isTurnedOff(entry) };
    const notes = [
      ...(id === name ? [] : [`called ${id} here`]),
      ...(raw.leftOut.length > 0 ? [`left out: ${raw.leftOut.join(', ')}`] : []),
      ...(raw.enabled ? [] : ['disabled, as there']),
    ];
    const base = { name, id, file };
    if (raw.url !== undefined) {
      const remote = toRemote({ ...raw, url: raw.url }, sources);
      parseConnector(id, { ...remote.connector, allowPrivateNetwork: true }, { source: 'stored', now });
      return { ...base, kind: 'remote', ...remote, notes: [...notes, ...remote.notes] };
    }
    const local = toLocal(id, { ...raw, command: raw.command ?? '' }, sources, names);
    checkConnector(id, local.connector);
    return { ...base, kind: 'local', ...local, notes: [...notes, ...local.notes] };
  } catch (error) {
    return {
      kind: 'unusable',
      name,
      file,
      reason: error instanceof Error ? error.message : 'it cannot be read',
    };
  }
}

function withFallbacks(
  inputs: readonly ClientInput[],
  answers: Readonly<Record<string, string>>,
): Record<string, string> {
  const fallbacks = inputs.flatMap(({ id, fallback }) =>
    fallback === undefined || fallback === '' ? [] : [[id, fallback] as const],
  );
  return { ...Object.fromEntries(fallbacks), ...answers };
}

/** A name the hub accepts, as close to the given one as it gets. */
function chooseId(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 44)
    .replace(/_+$/, '');
  const base = isName(plain) ? plain : 'server';
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  return id;
}
