/** Who calls us: agents and the keys that prove it. A key is never stored, only its digest. */
export type { Agent, AgentKey, AgentReader, AgentStore } from './agent.js';
export { createAgentDirectory, type AgentDirectory, type ConfiguredAgent } from './agent-directory.js';
export { createAuthenticator, type Authenticator } from './authenticator.js';
export { createAgentKey, MIN_KEY_LENGTH } from './agent-key.js';
export type { AdminAccount, AdminStore } from './admin-account.js';
export type {
  BrowserPrincipal,
  BrowserProof,
  BrowserSession,
  BrowserSessions,
} from './browser-session.js';
export { createBrowserSessions, type BrowserSessionsOptions } from './browser-sessions.js';
