import { createConsoleSite, type Site } from '../edge/index.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { createConsoleFiles } from './console-files.js';
import type { DataFolder } from './data-folder.js';

export interface SiteParts {
  readonly hub: Hub;
  /** Asked each time, because it is reloaded. */
  readonly config: () => Config;
  readonly folder: DataFolder;
}

/** What a browser or an OAuth client meets, besides MCP endpoints and the admin API. */
export function composeSites(_parts: SiteParts): readonly Site[] {
  return [createConsoleSite({ files: createConsoleFiles() })];
}
