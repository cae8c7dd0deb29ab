import { ROUTES } from './contract.js';
import { ask } from './request.js';

/** A part of the console that could not be fetched: the hub is away, or a newer one that has other files. */
export class MissingPart extends Error {}

/** A part of the console that is fetched when it is first needed. */
export async function fetched<Part>(part: Promise<Part>): Promise<Part> {
  try {
    return await part;
  } catch (cause) {
    throw new MissingPart('a part of the console could not be fetched', { cause });
  }
}

/** Loads the console anew, as soon as there is a hub to load it from: what the browser shows otherwise helps nobody. */
export async function loadAnew(): Promise<void> {
  await ask(ROUTES.session.get, {});
  window.location.reload();
}
