/**
 * Reading what other programs know of MCP servers, and writing the operator's own file.
 *
 * Invariants: no secret is written to a file in clear; whatever of a file is not taken over is told.
 */
export { checkConnector } from './check-connector.js';
export { clientFiles, systemPlace, type ClientName, type ClientPlace } from './clients.js';
export { editOperatorFile, openOperatorFile, type OperatorFile } from './edit-config-file.js';
export type { ConfigEdit } from './edit-config-text.js';
export type { ImportedCredential, ImportedServer } from './imported-server.js';
export { hideSecrets, type CommandParts, type HiddenParts } from './hide-secrets.js';
export { planImport, questionsOf, type ImportRequest } from './plan-import.js';
export { readClientFile, type ClientContent, type ClientInput } from './read-client-file.js';
