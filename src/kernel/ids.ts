import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type AgentId = Branded<'AgentId'>;
export type ConnectorId = Branded<'ConnectorId'>;
export type KeyId = Branded<'KeyId'>;
export type PolicyId = Branded<'PolicyId'>;
/** One passage of a request through the hub; in every answer and event that belongs to it. */
export type CallId = Branded<'CallId'>;

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,47}(?<!_)$/;

/** What agents, connectors, policies and toolsets may be called: it must stand in URLs and tool names unchanged. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

export const NAME_RULE =
  '1 to 48 letters, digits, "-" or single "_", beginning and ending with a letter or digit or "-"';

export function toAgentId(value: string): AgentId {
  return value as AgentId;
}
export function toConnectorId(value: string): ConnectorId {
  return value as ConnectorId;
}
export function toPolicyId(value: string): PolicyId {
  return value as PolicyId;
}
export function toKeyId(value: string): KeyId {
  return value as KeyId;
}
export function toCallId(value: string): CallId {
  return value as CallId;
}

/** Unguessable, URL-safe. */
export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}
