import { join } from 'node:path';
import type { Config } from '../app/index.js';
import { printJson, type Cli } from './cli.js';
import { shown } from './hub-address.js';
import type { ReadyHub } from './hub-herald.js';

/**
 * What somebody needs to make the first call, readable in ten seconds; or one line for programs. `consoleUrl` signs one
 * browser in, once: whoever reads this output may.
 */
export function printReady(
  cli: Cli,
  config: Config,
  { url, localUrl, consoleUrl, hasSample }: ReadyHub,
): void {
  const folder = config.dataDir;
  const mcpUrl = `${url}/mcp`;
  if (config.logFormat === 'json')
    return printJson(cli, { event: 'ready', url, mcpUrl, consoleUrl, localUrl, pid: process.pid });
  const { bold, cyan, dim, green } = cli.terminal.colors;
  const headers = { Authorization: 'Bearer ${HUB_KEY}' };
  const client = JSON.stringify({ mcpServers: { crosspoint: { type: 'http', url: mcpUrl, headers } } });
  const data = config.sources['dataDir'] === 'default' ? '' : ` --data ${toPaste(shown(cli, folder))}`;
  const first = hasSample ? `call sample__echo text=hello${data}` : `tools${data}`;
  cli.terminal.print(
    [
      green('Crosspoint is ready.'),
      '',
      `  MCP endpoint  ${cyan(mcpUrl)}`,
      `  Console       ${cyan(consoleUrl)}`,
      `                ${dim('signs in once, within 10 minutes; then: npx crosspoint sign-in-link' + data)}`,
      `  Agent key     in ${shown(cli, join(folder, 'local.token'))}`,
      `  Data          ${shown(cli, folder)}`,
      `  Configuration ${config.configFile === undefined ? 'none; "crosspoint connector add" makes one' : shown(cli, config.configFile)}`,
      '',
      bold('In a client'),
      `  export HUB_KEY=$(cat ${toPaste(shown(cli, join(folder, 'local.token')))})`,
      `  ${client}`,
      '',
      bold('A first call, in another terminal'),
      `  npx crosspoint ${first}`,
      '',
      dim('Stop with Ctrl-C.'),
    ].join('\n'),
  );
}

/** As one word of a command line, whatever the path has in it. */
function toPaste(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
