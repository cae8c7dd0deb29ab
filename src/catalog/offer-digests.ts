import { inSlices } from '../kernel/index.js';
import { hashOf } from './build-snapshot.js';
import type { Snapshot } from './snapshot.js';

type Offers = Pick<Snapshot, 'tools' | 'prompts' | 'resources' | 'templates'>;

/** Digests of offers, each computed once for as long as somebody has the offer. */
export class OfferDigests {
  readonly #known = new WeakMap<object, string>();

  /** Of thousands of offers this takes long, so it is done in slices before anybody asks. */
  async prepare({ tools, prompts, resources, templates }: Offers): Promise<void> {
    for (const offers of [tools, prompts, resources, templates])
      await inSlices<object>(offers, (offer) => void this.of(offer));
  }

  of(offer: object): string {
    let digest = this.#known.get(offer);
    if (digest === undefined) this.#known.set(offer, (digest = hashOf(offer)));
    return digest;
  }
}
