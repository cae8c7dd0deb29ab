import {
  createConsoleSite,
  createOAuthClientSite,
  createOperatorSite,
  createPagesSite,
  type ReadyCheck,
  type Site,
} from '../edge/index.js';
import { adminAuthentication } from './compose-admin.js';
import { composeTokenSites } from './compose-token-sites.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { createConsoleFiles } from './console-files.js';
import type { DataFolder } from './data-folder.js';

export interface SiteParts {
  readonly hub: Hub;
  /** Asked each time, because it is reloaded. */
  readonly config: () => Config;
  readonly folder: DataFolder;
  readonly checks: () => readonly ReadyCheck[];
}

/** What a browser or an OAuth client meets, besides MCP endpoints and the admin API. */
export function composeSites({ hub, config, checks }: SiteParts): readonly Site[] {
  const { agents, publicUrl, browser, clientNetworkOf } = hub;
  const logger = hub.logger.child({ part: 'pages' });
  const urlOf = (path: string): string => publicUrl.of(path);
  const pages = createPagesSite({ ...browser, agents, clientNetworkOf, urlOf, logger });
  return [
    createConsoleSite({ files: createConsoleFiles(), gate: browser.gate, start: pages, logger }),
    pages,
    createOperatorSite({
      authenticateAdmin: adminAuthentication(hub),
      checks,
      metrics: () => config().telemetry.metrics,
      readMetrics: () => hub.telemetry.readMetrics(),
      logger,
    }),
    createOAuthClientSite({ ...hub, gate: browser.gate, urlOf, logger }),
    ...composeTokenSites({ hub, config }),
  ];
}
