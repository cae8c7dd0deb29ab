import { ADMIN_ROUTES, type ConnectorDetail, type SavedCredentialView } from '../contract/index.js';
import { CliError } from './cli-error.js';
import type { Cli } from './cli.js';
import type { HubClient } from './hub-client.js';
import { openLoopbackListener, type LoopbackListener } from './loopback-listener.js';
import { openBrowser, toWebAddress } from './open-browser.js';

export interface ConnectOptions {
  readonly agent: string | undefined;
  readonly account: string | undefined;
  readonly browser: boolean;
}

/** How long an authorization server may take its time with a person; the hub forgets the sign-in then. */
const WAIT_MS = 10 * 60_000;

/** Signs in at the upstream's authorization server with the browser of whoever runs this. */
export async function connectAccount(
  cli: Cli,
  hub: HubClient,
  { id }: Pick<ConnectorDetail, 'id'>,
  { agent, account, browser }: ConnectOptions,
): Promise<SavedCredentialView> {
  const listener = await openLoopbackListener();
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const { authorizationUrl } = await hub.ask(ADMIN_ROUTES.credentials.connect, {
      path: { id },
      body: {
        ...(agent !== undefined && { agent }),
        ...(account !== undefined && { account }),
        returnTo: listener.url,
      },
    });
    await showAddress(cli, authorizationUrl, browser);
    return await finish(hub, id, listener, stop.signal);
  } finally {
    process.off('SIGINT', interrupt);
    await listener.close();
  }
}

async function showAddress(cli: Cli, address: string, browser: boolean): Promise<void> {
  const { terminal, environment } = cli;
  const url = toWebAddress(address);
  if (url === undefined)
    throw new CliError('the hub named an address that is not for a browser', { code: 'oauth_refused' });
  const opened = browser && (await openBrowser(url, environment));
  terminal.note(
    opened
      ? 'Sign in with the browser that just opened. If none did, open:'
      : 'Open this address to sign in:',
  );
  terminal.note(`\n  ${url}\n`);
  terminal.note('Waiting for you to finish there. Ctrl-C gives up.');
}

async function finish(
  hub: HubClient,
  id: string,
  listener: LoopbackListener,
  signal: AbortSignal,
): Promise<SavedCredentialView> {
  const brought = await bounded(listener.brought, signal);
  try {
    const saved = await hub.ask(ADMIN_ROUTES.credentials.finish, {
      path: { id },
      body: { confirmation: brought.confirmation },
      timeoutMs: 60_000,
    });
    brought.answer('The account is connected.');
    return saved;
  } catch (error) {
    brought.answer('The account was not connected. The terminal says why.');
    throw error;
  }
}

async function bounded<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CliError('nobody finished the sign-in in time', { code: 'timeout' })),
      WAIT_MS,
    );
    const giveUp = (): void => reject(new CliError('given up', { code: 'cancelled' }));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
  });
  try {
    return await Promise.race([value, end]);
  } finally {
    clearTimeout(timer);
  }
}
