import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Dispatcher } from 'undici';
import { isPrivateAddress, isPrivateHost, maskUrl } from '../../connectors/index.js';
import { adviceForStatus, REDIRECT_ADVICE } from './advice.js';
import { failed, ok, skipped, type Step } from './step.js';

const STEP_MS = 5_000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const MOST_ADDRESS = 300;

/** For connectors that may reach public addresses only: what dials for them. */
export interface PublicWay {
  readonly lookup: LookupFunction;
  readonly dispatcher: Dispatcher;
}

/** The way to an address, one step after another; after one that failed there is nothing more to try. */
export async function* checkAddress(url: URL, way?: PublicWay): AsyncGenerator<Step> {
  for (const check of [checkName, checkPort, checkCertificate, checkAnswer]) {
    const step = await check(url, way);
    yield step;
    if (step.state === 'failed') return;
  }
}

async function checkName({ hostname }: URL, way: PublicWay | undefined): Promise<Step> {
  const host = bare(hostname);
  if (way !== undefined && isPrivateHost(host)) return notAllowed(host);
  if (isIP(host) !== 0) return skipped('dns', `${host} is an address already`);
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const isPrivate = addresses.some(isPrivateAddress);
    if (way !== undefined && isPrivate) return notAllowed(host);
    return ok('dns', `${host} is ${addresses.join(', ')}${isPrivate ? ' (private network)' : ''}`);
  } catch {
    return failed(
      'dns',
      `the name ${host} is not known`,
      'Look for a spelling mistake in the address, and whether this machine has a working name server.',
    );
  }
}

function notAllowed(host: string): Step {
  return failed(
    'dns',
    `${host} is in a private network, which this connector may not reach`,
    'An owner can allow it: in the console under Advanced, in a file with allowPrivateNetwork.',
  );
}

async function checkPort(url: URL, way: PublicWay | undefined): Promise<Step> {
  const port = portOf(url);
  const socket = connectTcp({ host: bare(url.hostname), port, ...(way && { lookup: way.lookup }) });
  const problem = await settle(socket, 'connect');
  if (problem === undefined) return ok('tcp', `port ${port} accepts connections`);
  return failed('tcp', `port ${port}: ${problem}`, adviceForPort(problem));
}

async function checkCertificate(url: URL, way: PublicWay | undefined): Promise<Step> {
  if (url.protocol !== 'https:') return skipped('tls', 'plain http: nothing is encrypted on this way');
  const host = bare(url.hostname);
  const socket = connectTls({
    host,
    port: portOf(url),
    ...(isIP(host) === 0 && { servername: host }),
    ...(way && { lookup: way.lookup }),
  });
  const validTo = new Promise<number>((resolve) => {
    socket.once('secureConnect', () => resolve(new Date(socket.getPeerCertificate().valid_to).getTime()));
  });
  const problem = await settle(socket, 'secureConnect');
  if (problem !== undefined)
    return failed(
      'tls',
      `the certificate or the encryption is refused: ${problem}`,
      CERTIFICATE_ADVICE[problem] ??
        'Look whether the port speaks https. If it does not, the address must begin with http://.',
    );
  const days = Math.floor(((await validTo) - Date.now()) / DAY_MS);
  return ok(
    'tls',
    `the certificate is valid for ${days} more days${days < SOON_DAYS ? ': it should be renewed soon' : ''}`,
  );
}

/** An MCP server may refuse a bare GET in many ways; each of them proves that it lives. */
async function checkAnswer(url: URL, way: PublicWay | undefined): Promise<Step> {
  let status: number;
  let location: unknown;
  try {
    const { request } = await import('undici');
    const answer = await request(url, {
      method: 'GET',
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.timeout(STEP_MS),
      ...(way && { dispatcher: way.dispatcher }),
    });
    status = answer.statusCode;
    location = answer.headers['location'];
    answer.body.on('error', () => {}).destroy();
  } catch (error) {
    return noAnswer(url, error as { readonly name?: string; readonly code?: string });
  }
  if (status >= 500) return failed('http', `HTTP ${status}`, adviceForStatus(status));
  // Many servers answer nothing but POST, and say so with 404.
  if (status === 404) return ok('http', 'HTTP 404 to a GET: whether anything is at this path shows next');
  if (status >= 300 && status < 400)
    return failed('http', `HTTP ${status}: it leads ${whereTo(location, url)}`, REDIRECT_ADVICE);
  return ok('http', `HTTP ${status}: something answers`);
}

function noAnswer(
  { protocol }: URL,
  { name, code }: { readonly name?: string; readonly code?: string },
): Step {
  const look = 'Look whether the port belongs to the server that you mean, and into its log.';
  if (name === 'TimeoutError') return failed('http', 'no answer in time', look);
  const more = protocol === 'http:' ? ' If it speaks https, the address must begin with https://.' : '';
  return failed('http', `the connection broke${code === undefined ? '' : ` (${code})`}`, `${look}${more}`);
}

/** Without what may be secret in an address. */
function whereTo(location: unknown, from: URL): string {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) return 'somewhere else';
  const { protocol, host, pathname } = new URL(location, from);
  return `to ${maskUrl(`${protocol}//${host}${pathname}`)}`.slice(0, MOST_ADDRESS);
}

/** Undefined when the event came, else the code of what went wrong. */
function settle(socket: Socket | TLSSocket, event: 'connect' | 'secureConnect'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end('ETIMEDOUT'), STEP_MS);
    const end = (problem: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    socket.once(event, () => end(undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'failed'));
  });
}

function adviceForPort(problem: string): string {
  if (problem === 'ECONNREFUSED')
    return 'Nothing listens there: look whether the server runs, and on which port.';
  return 'A firewall, a proxy or a wrong address keeps the connection from being made.';
}

const CERTIFICATE_ADVICE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate has expired: its owner must renew it.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet: look whether the clock of this machine is right.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name: use that name in the address.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Start the hub with NODE_EXTRA_CA_CERTS set to the file of this certificate.',
  SELF_SIGNED_CERT_IN_CHAIN:
    "Start the hub with NODE_EXTRA_CA_CERTS set to the file of the company's own certificate.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The server does not send its whole chain; NODE_EXTRA_CA_CERTS can supply what is missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "Start the hub with NODE_EXTRA_CA_CERTS set to the file of the company's own certificate.",
};

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
