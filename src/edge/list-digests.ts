import { hashOf, type Surface } from '../catalog/index.js';
import { inSlices } from '../kernel/index.js';

/** Lists that clients are told about; templates count as resources. */
export type ToldList = 'tools' | 'prompts' | 'resources';

/** Digests of lists as agents see them, each computed once for all who listen, in slices: lists may be long. */
export class ListDigests {
  readonly #known = new WeakMap<Surface, Map<ToldList, Promise<string>>>();

  of(surface: Surface, list: ToldList): Promise<string> {
    let digests = this.#known.get(surface);
    if (digests === undefined) this.#known.set(surface, (digests = new Map<ToldList, Promise<string>>()));
    const known = digests.get(list);
    if (known !== undefined) return known;
    const digest = digestOf(surface, list);
    digests.set(list, digest);
    digest.catch(() => digests.delete(list));
    return digest;
  }
}

async function digestOf(surface: Surface, list: ToldList): Promise<string> {
  if (list === 'tools') await surface.prepareTools();
  const lists: readonly (readonly object[])[] =
    list === 'resources' ? [surface.resources, surface.templates] : [surface[list]];
  const digests: string[] = [];
  for (const items of lists) {
    await inSlices(items, (item) => digests.push(hashOf(item)));
    digests.push('');
  }
  return hashOf(digests);
}
