import { isNetwork } from '../../connectors/index.js';
import { HubError, isLoopback } from '../../kernel/index.js';
import type { Config } from './config.js';

/** What is reachable from outside must have been meant to be: with an admin token that the operator chose. */
export function checkExposure({ server, adminToken, storageUrl, coordinationUrl }: Config): void {
  checkAddresses(server);
  if (!/^(?:sqlite:.|postgres(?:ql)?:\/\/)/.test(storageUrl))
    throw invalid('storage.url', 'must be sqlite:PATH, or begin with postgres://');
  if (coordinationUrl !== 'memory:' && !isRedisUrl(coordinationUrl))
    throw invalid('coordination.url', 'must be memory:, or begin with redis:// or rediss://');
  if (isLoopback(server.host)) return;
  if (adminToken === undefined) {
    throw new HubError(
      'config_invalid',
      `refusing to listen on ${server.host} without authentication: set admin.token (or CROSSPOINT_ADMIN_TOKEN), or bind to 127.0.0.1`,
    );
  }
}

/** Found here rather than by whoever uses them, when half of the hub has been started. */
function checkAddresses({ publicUrl, allowedOrigins, allowedHosts, trustedProxies }: Config['server']): void {
  if (publicUrl !== undefined && !isWebUrl(publicUrl))
    throw invalid('server.publicUrl', 'must begin with https:// or http://');
  // The hub's pages and endpoints are at the root of their host, and nowhere else.
  if (publicUrl !== undefined && new URL(publicUrl).href !== `${new URL(publicUrl).origin}/`)
    throw invalid(
      'server.publicUrl',
      'must be an origin, which looks like https://hub.example.com, without a path, query or fragment',
    );
  const wrong = allowedOrigins.find(
    (origin) => !isWebUrl(origin) || new URL(origin).origin !== origin.replace(/\/$/, '').toLowerCase(),
  );
  if (wrong !== undefined) {
    throw invalid(
      'server.allowedOrigins',
      `"${wrong}" is not an origin, which looks like https://app.example.com`,
    );
  }
  const odd = allowedHosts.find((host) => !HOST.test(host));
  if (odd !== undefined)
    throw invalid(
      'server.allowedHosts',
      `"${odd}" is not a host, which looks like hub.example.com or hub:8080`,
    );
  const stray = trustedProxies.find((text) => !isNetwork(text));
  if (stray !== undefined) {
    throw invalid(
      'server.trustedProxies',
      `"${stray}" is not an address or a network, which looks like 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32, with zeros behind the prefix`,
    );
  }
}

/** As clients write it into `Host`. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isRedisUrl(text: string): boolean {
  return URL.canParse(text) && /^rediss?:\/\/[^/]/.test(text);
}

function invalid(key: string, problem: string): HubError {
  return new HubError('config_invalid', `${key}: ${problem}`);
}
