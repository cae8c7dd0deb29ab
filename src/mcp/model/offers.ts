import type { JsonObject } from '../jsonrpc/index.js';

/** What a server offers. Unknown members are kept: whoever passes an offer on must not lose what it does not know. */

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly [extra: string]: unknown;
}

/** A tool as its server describes it. Members that are not listed here are kept. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly [extra: string]: unknown;
}

/** A prompt as its server describes it. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly JsonObject[];
  readonly [extra: string]: unknown;
}

/** A resource that can be read by its address. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly [extra: string]: unknown;
}

/** A pattern of addresses that can be read. */
export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly [extra: string]: unknown;
}
