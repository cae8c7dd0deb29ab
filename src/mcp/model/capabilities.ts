import { isObject, type JsonObject } from '../jsonrpc/index.js';

/** Name and version of a program. Self-reported: for display and logs, never for decisions. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly [extra: string]: unknown;
}

/** What a client can be asked for. */
export interface ClientCapabilities {
  readonly roots?: JsonObject;
  readonly sampling?: { readonly tools?: JsonObject; readonly context?: JsonObject };
  /** `{}` means form mode only; naming a mode removes the implied one. */
  readonly elicitation?: { readonly form?: JsonObject; readonly url?: JsonObject };
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  readonly [extra: string]: unknown;
}

/** What a server offers. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean };
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly completions?: JsonObject;
  readonly logging?: JsonObject;
  readonly extensions?: Readonly<Record<string, JsonObject>>;
  readonly experimental?: Readonly<Record<string, JsonObject>>;
  readonly [extra: string]: unknown;
}

/** What a server tells about itself, in whichever way its era does. */
export interface ServerDescription {
  readonly info: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/** What a client tells of itself. */
export interface ClientDescription {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

export type ElicitationMode = 'form' | 'url';

/** Capabilities are what a peer wrote: a member of another type than object counts as absent. */
export function supportsElicitation(capabilities: ClientCapabilities, mode: ElicitationMode): boolean {
  const { elicitation } = capabilities;
  if (!isObject(elicitation)) return false;
  if (elicitation[mode] !== undefined) return true;
  return mode === 'form' && elicitation.url === undefined;
}
