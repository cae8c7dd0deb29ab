import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { fetched } from './api/fetched.js';
import { ErrorPage } from './shell/error-page.js';
import { NotFoundPage } from './shell/not-found-page.js';
import { Shell } from './shell/shell.js';
import { readEventSearch, readToolSearch, readWord } from './shell/read-search.js';

const root = createRootRoute({ component: Shell });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => fetched(import('./overview/overview-page.js')), 'OverviewPage'),
});
const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  component: lazyRouteComponent(() => fetched(import('./connectors/connectors-page.js')), 'ConnectorsPage'),
});
const newConnector = createRoute({
  getParentRoute: () => root,
  path: '/connectors/new',
  validateSearch: (search: { way?: string } & SearchSchemaInput) => readWord(search, 'way'),
  component: lazyRouteComponent(
    () => fetched(import('./connectors/new-connector-page.js')),
    'NewConnectorPage',
  ),
});
const connector = createRoute({
  getParentRoute: () => root,
  path: '/connectors/$id',
  validateSearch: (search: { tab?: string; added?: string } & SearchSchemaInput) => ({
    ...readWord(search, 'tab'),
    ...readWord(search, 'added'),
  }),
  component: lazyRouteComponent(() => fetched(import('./connectors/connector-page.js')), 'ConnectorPage'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  validateSearch: readToolSearch,
  component: lazyRouteComponent(() => fetched(import('./tools/tools-page.js')), 'ToolsPage'),
});
const tool = createRoute({
  getParentRoute: () => root,
  path: '/tools/$name',
  validateSearch: (search: { tab?: string; agent?: string } & SearchSchemaInput) => ({
    ...readWord(search, 'tab'),
    ...readWord(search, 'agent'),
  }),
  component: lazyRouteComponent(() => fetched(import('./tools/tool-page.js')), 'ToolPage'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => fetched(import('./agents/agents-page.js')), 'AgentsPage'),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  component: lazyRouteComponent(() => fetched(import('./agents/agent-page.js')), 'AgentPage'),
});
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  validateSearch: (search: { agent?: string; tool?: string } & SearchSchemaInput) => ({
    ...readWord(search, 'agent'),
    ...readWord(search, 'tool'),
  }),
  component: lazyRouteComponent(() => fetched(import('./policies/policies-page.js')), 'PoliciesPage'),
});
const newPolicy = createRoute({
  getParentRoute: () => root,
  path: '/policies/new',
  validateSearch: (search: { agent?: string; connector?: string } & SearchSchemaInput) => ({
    ...readWord(search, 'agent'),
    ...readWord(search, 'connector'),
  }),
  component: lazyRouteComponent(() => fetched(import('./policies/new-policy-page.js')), 'NewPolicyPage'),
});
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$id',
  component: lazyRouteComponent(() => fetched(import('./policies/policy-page.js')), 'PolicyPage'),
});
const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => fetched(import('./events/events-page.js')), 'EventsPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: (search: { tab?: string } & SearchSchemaInput) => readWord(search, 'tab'),
  component: lazyRouteComponent(() => fetched(import('./settings/settings-page.js')), 'SettingsPage'),
});
const call = createRoute({
  getParentRoute: () => root,
  path: '/events/calls/$callId',
  component: lazyRouteComponent(() => fetched(import('./events/call-page.js')), 'CallPage'),
});

const routeTree = root.addChildren([
  overview,
  connectors,
  newConnector,
  connector,
  tools,
  tool,
  agents,
  agent,
  policies,
  newPolicy,
  policy,
  events,
  call,
  settings,
]);

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: ErrorPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
