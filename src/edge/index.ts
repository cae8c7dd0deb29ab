/** Where requests enter: one port, MCP endpoints first. Faces of failures are decided here and nowhere else. */
export { ERROR_FACES, type Faces } from './error-faces.js';
export { createHttpListener, type HttpListenerOptions, type Site } from './http-listener.js';
export { createLateListener } from './late-listener.js';
export type { SharedSessions } from './shared-sessions/open-shared-sessions.js';
export { CrowdedGates } from './crowded-gates.js';
export { createLoadGuard, type LoadGuard, type LoadGuardOptions } from './load-guard.js';
export { createMcpEndpoints, type McpEndpoints, type McpEndpointsOptions } from './mcp-endpoints.js';
export {
  createConsoleSite,
  type ConsoleFile,
  type ConsoleFiles,
  type ConsoleSiteOptions,
} from './console/console-site.js';
export { openAdminApp } from './admin/open-admin-app.js';
export type { AboutHub, AdminDependencies, StreamLimits } from './admin/dependencies.js';
export {
  createAdminAuthentication,
  createBearerAuthentication,
  createCookieAuthentication,
  type AuthenticateAdmin,
} from './admin/authentication.js';
export { createClientNetworkOf, type ClientNetworkOf } from './client-network.js';
export { networkOf } from './network-of.js';
export { createOwnResources, type OwnResources } from './own-resources.js';
export type { TokenFace } from './identify-caller.js';
export { createResourceMetadataSite, type ResourceMetadataOptions } from './resource-metadata-site.js';
export {
  createAuthorizationSite,
  type AuthorizationSiteOptions,
} from './authorization-server/authorization-site.js';
export { createOwnIssuerCheck } from './authorization-server/own-issuer.js';
export { createSigningKeys, type SigningKeys } from './authorization-server/signing-keys.js';
export { type WebHandler, type WebSiteOptions } from './web-site.js';
export { type Page, type PageBody } from './pages/page.js';
export { createBrowserGate, type BrowserGate, type BrowserGateOptions } from './pages/browser-cookie.js';
export { createPagesSite, type PagesSiteOptions } from './pages/pages-site.js';
export { CLIENT_METADATA_PATH } from './oauth/client-metadata.js';
export { createOAuthClientSite, type OAuthClientSiteOptions } from './oauth/oauth-client-site.js';
export { createOperatorSite, type OperatorSiteOptions, type ReadyCheck } from './operator-site.js';
