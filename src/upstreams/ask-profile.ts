import { supportsElicitation, type ClientCapabilities } from '../mcp/model/index.js';

/** What somebody can be asked in the course of a call, of everything that can be passed on. There are few, so each is one object. */
export interface AskProfile {
  readonly key: string;
  readonly capabilities: ClientCapabilities;
}

const FORM = 1;
const URL_MODE = 2;
const SAMPLING = 4;
const SAMPLING_TOOLS = 8;
const SAMPLING_CONTEXT = 16;
const ROOTS = 32;
const ALL = 63;

const PROFILES: readonly AskProfile[] = Array.from({ length: ALL + 1 }, (_, mask) => ({
  key: mask.toString(36),
  capabilities: {
    ...((mask & (FORM | URL_MODE)) !== 0 && {
      elicitation: { ...((mask & FORM) !== 0 && { form: {} }), ...((mask & URL_MODE) !== 0 && { url: {} }) },
    }),
    ...((mask & SAMPLING) !== 0 && {
      sampling: {
        ...((mask & SAMPLING_TOOLS) !== 0 && { tools: {} }),
        ...((mask & SAMPLING_CONTEXT) !== 0 && { context: {} }),
      },
    }),
    ...((mask & ROOTS) !== 0 && { roots: {} }),
  },
}));

/** Nobody to ask. */
export const ASK_NOTHING = profile(0);
/** Whatever can be passed on. */
export const ASK_EVERYTHING = profile(ALL);

/** What a client with these capabilities can be asked; undefined if nothing. */
export function askProfileOf(capabilities: ClientCapabilities): AskProfile | undefined {
  const { sampling, roots, elicitation } = capabilities;
  if (sampling === undefined && roots === undefined && elicitation === undefined) return undefined;
  const mask =
    (supportsElicitation(capabilities, 'form') ? FORM : 0) |
    (supportsElicitation(capabilities, 'url') ? URL_MODE : 0) |
    (sampling === undefined ? 0 : SAMPLING) |
    (sampling?.tools === undefined ? 0 : SAMPLING_TOOLS) |
    (sampling?.context === undefined ? 0 : SAMPLING_CONTEXT) |
    (roots === undefined ? 0 : ROOTS);
  return mask === 0 ? undefined : profile(mask);
}

/** Roots are remembered by whoever was told them, so they are told only where nobody else is served. */
export function withoutRoots({ key }: AskProfile): AskProfile {
  return profile(Number.parseInt(key, 36) & ~ROOTS);
}

function profile(mask: number): AskProfile {
  return PROFILES[mask] as AskProfile;
}
