import {
  ADMIN_ROUTES,
  type ConnectorDetail,
  type EventView,
  type SavedCredentialView,
} from '../contract/index.js';
import { CliError } from './cli-error.js';
import type { Cli } from './cli.js';
import { followEvents } from './follow-events.js';
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
  const refused = whenRefused(hub, id, { agent, account }, stop.signal);
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
    return await finish(hub, id, Promise.race([listener.brought, refused]), stop.signal);
  } finally {
    process.off('SIGINT', interrupt);
    stop.abort();
    await listener.close();
  }
}

/** A browser that is signed in at the hub as somebody else brings nothing here. The log of the hub says so at once. */
function whenRefused(
  hub: HubClient,
  connector: string,
  { agent = 'shared', account }: Pick<ConnectOptions, 'agent' | 'account'>,
  signal: AbortSignal,
): Promise<never> {
  const refused = new Promise<never>((_, reject) => {
    const onEvent = (event: EventView & { readonly [fact: string]: unknown }): void => {
      const isOurs = event['owner'] === agent && (account ?? event['account']) === event['account'];
      if (!isOurs || event['error'] !== 'forbidden') return;
      reject(
        new CliError('the browser is signed in at the hub as somebody else', {
          code: 'forbidden',
          hint: 'Sign out there, or use another browser, and run this again.',
        }),
      );
    };
    const filters = { type: 'account.refused', connector } as const;
    // Without it, whoever waits does so until the time is up.
    followEvents(hub, { filters, after: undefined, signal, onEvent }).catch(() => {});
  });
  refused.catch(() => {});
  return refused;
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
  bringing: LoopbackListener['brought'],
  signal: AbortSignal,
): Promise<SavedCredentialView> {
  const brought = await bounded(bringing, signal);
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
