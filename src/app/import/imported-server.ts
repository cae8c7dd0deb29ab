import type { ConnectorInput } from '../../contract/index.js';
import type { Secret } from '../../kernel/index.js';

interface Imported {
  /** As its client calls it. */
  readonly name: string;
  /** As the hub will call it. */
  readonly id: string;
  /** The file it was found in. */
  readonly file: string;
  /** Without secrets. */
  readonly connector: ConnectorInput;
  /** What a person should know or do. */
  readonly notes: readonly string[];
}

/** Secret values of a connector, for the vault. */
export interface ImportedCredential {
  readonly token?: Secret;
  readonly value?: Secret;
  readonly headers?: Readonly<Record<string, Secret>>;
}

export type ImportedServer =
  /** Goes to the hub; its secrets into the hub's vault. */
  | (Imported & { readonly kind: 'remote'; readonly credential: ImportedCredential | undefined })
  /** Goes into the operator's file; its secrets are sealed in the data folder and referred to by name. */
  | (Imported & { readonly kind: 'local'; readonly variables: Readonly<Record<string, Secret>> })
  | { readonly kind: 'unusable'; readonly name: string; readonly file: string; readonly reason: string };
