import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isLoopback } from '../kernel/index.js';
import { CliError, usageError } from './cli-error.js';
import type { Cli } from './cli.js';
import { dataFolderOf, findRunningHub } from './hub-file.js';

export interface HubOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
}

export interface HubAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Where the token came from, for messages. */
  readonly tokenSource: string;
}

/** Flags over environment over data folder. */
export function resolveHub(cli: Cli, options: HubOptions): HubAddress {
  const { environment } = cli;
  const dataFolder = dataFolderOf(options.data, environment, cli.folder);
  const named = options.url ?? (environment['CROSSPOINT_URL'] || undefined);
  const url = named === undefined ? requireRunning(cli, dataFolder) : checkUrl(named);
  return { url: url.replace(/\/+$/, ''), ...findToken(cli, options, dataFolder, url) };
}

function requireRunning(cli: Cli, dataFolder: string): string {
  const running = findRunningHub(dataFolder);
  if (running !== undefined) return running.url;
  throw new CliError(`no hub is running for the data folder ${shown(cli, dataFolder)}`, {
    code: 'hub_not_running',
    hint: 'Start one with "crosspoint serve", choose another folder with --data, or name a running hub with --url.',
  });
}

function findToken(
  cli: Cli,
  options: HubOptions,
  dataFolder: string,
  url: string,
): { readonly token: string; readonly tokenSource: string } {
  if (options.token !== undefined) return { token: options.token, tokenSource: '--token' };
  const fromEnvironment = cli.environment['CROSSPOINT_ADMIN_TOKEN'] ?? '';
  if (fromEnvironment !== '') return { token: fromEnvironment, tokenSource: 'CROSSPOINT_ADMIN_TOKEN' };
  const hint = 'Put the admin token in CROSSPOINT_ADMIN_TOKEN.';
  // What belongs to the hub of this folder is not shown to a host somewhere else.
  if (!isOnThisMachine(url)) throw new CliError(`no admin token for ${url}`, { code: 'no_token', hint });
  const path = join(dataFolder, 'admin.token');
  try {
    const token = readFileSync(path, 'utf8').trim();
    if (token !== '') return { token, tokenSource: shown(cli, path) };
  } catch {
    // Told below.
  }
  throw new CliError(`no admin token: ${shown(cli, path)} cannot be read`, { code: 'no_token', hint });
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw usageError(`the address of the hub is not a URL: ${text}`, 'It looks like http://127.0.0.1:8080.');
  }
  if (url.username !== '' || url.password !== '')
    throw usageError('the address of the hub must not contain a password');
  return `${url.origin}${url.pathname}`;
}

export function isOnThisMachine(url: string): boolean {
  return isLoopback(new URL(url).hostname);
}

/** A path as short as people would write it. */
export function shown(cli: Cli, path: string): string {
  const short = relative(cli.folder, path);
  return short === '' || short.startsWith('..') ? path : short;
}
