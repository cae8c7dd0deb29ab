import type { Resource, ResourceTemplate } from '../mcp/model/index.js';
import type { CatalogEntry, Permits } from './surface.js';

/** Who serves a resource, and under which address it knows it. */
export interface ResourceOwner extends CatalogEntry {
  readonly uri: string;
}

export interface ResourceRouter {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  ownerOf(uri: string): ResourceOwner | undefined;
}

/** Addresses that two connectors share are told apart by this; all others stay as they are. */
const SCHEME = 'crosspoint+';
/** Of an address with which a template was filled in. Policies are asked about all of it. */
const MAX_ADDRESS_LENGTH = 64 * 1024;

/**
 * Routes by exact address first, be it that of a template, then by the template with the longest fixed beginning. The first connector keeps a
 * shared address. Where there is only `one` connector to ask, it is asked for addresses nobody listed too.
 */
export function createResourceRouter(
  entries: readonly CatalogEntry[],
  permits: Permits,
  one = false,
): ResourceRouter {
  const owners = new Map<string, ResourceOwner>();
  const resources: Resource[] = [];
  for (const entry of entries) {
    for (const resource of entry.snapshot.resources) {
      if (!permits.resource(entry, resource.uri)) continue;
      const exposed = owners.has(resource.uri) ? prefixed(entry, resource.uri) : resource.uri;
      owners.set(exposed, { ...entry, uri: resource.uri });
      resources.push(exposed === resource.uri ? resource : { ...resource, uri: exposed });
    }
  }
  const templated = exposeTemplates(entries, permits);
  const byText = new Map(templated.map((template) => [template.exposed.uriTemplate, template]));
  const byLength = templated.toSorted((a, b) => b.beginning.length - a.beginning.length);

  function byTemplate(uri: string): ResourceOwner | undefined {
    // Whoever wants to fill in a template names it as a whole.
    const match = byText.get(uri) ?? byLength.find(({ beginning }) => uri.startsWith(beginning));
    return (
      match && { ...match.entry, uri: match.isPrefixed ? uri.slice(prefixed(match.entry, '').length) : uri }
    );
  }

  function unlisted(uri: string): ResourceOwner | undefined {
    const [entry] = one ? entries : [];
    return entry?.snapshot.upstream.capabilities.resources === undefined ? undefined : { ...entry, uri };
  }

  return {
    resources,
    templates: templated.map(({ exposed }) => exposed),
    ownerOf(uri) {
      const exact = owners.get(uri);
      if (exact !== undefined || uri.length > MAX_ADDRESS_LENGTH) return exact;
      const owner = byTemplate(uri) ?? unlisted(uri);
      return owner !== undefined && permits.resource(owner, owner.uri) ? owner : undefined;
    },
  };
}

interface TemplateEntry {
  readonly entry: CatalogEntry;
  readonly exposed: ResourceTemplate;
  /** What stands before the first blank. One that is all blank fits nothing in particular and routes nothing. */
  readonly beginning: string;
  readonly isPrefixed: boolean;
}

function exposeTemplates(entries: readonly CatalogEntry[], permits: Permits): TemplateEntry[] {
  const seen = new Set<string>();
  return entries.flatMap((entry) =>
    entry.snapshot.templates
      .filter(({ uriTemplate }) => permits.resource(entry, uriTemplate))
      .map((template) => {
        const isPrefixed = seen.has(template.uriTemplate);
        const uriTemplate = isPrefixed ? prefixed(entry, template.uriTemplate) : template.uriTemplate;
        seen.add(uriTemplate);
        const beginning = beginningOf(uriTemplate);
        return {
          entry,
          exposed: isPrefixed ? { ...template, uriTemplate } : template,
          beginning,
          isPrefixed,
        };
      }),
  );
}

function prefixed({ connector }: CatalogEntry, uri: string): string {
  return `${SCHEME}${connector.id}:${uri}`;
}

function beginningOf(uriTemplate: string): string {
  const brace = uriTemplate.indexOf('{');
  const beginning = brace === -1 ? uriTemplate : uriTemplate.slice(0, brace);
  // Nothing begins with this, so such a template never matches.
  return beginning === '' ? '\0' : beginning;
}
