import { LOOPBACK_NAMES } from '../kernel/index.js';

/** How the hub's endpoints are called by those who issue tokens for them and by those who look for their metadata. */
export interface OwnResources {
  /** Where whoever sent a request finds us. */
  baseFor(host: string | undefined): string;
  /** Whether it is one of our endpoints, or the whole hub. */
  isOwn(resource: string): boolean;
  /** Whether a token for this is good at that path. */
  covers(resource: string, path: string): boolean;
}

const ENDPOINT = /^\/(?:mcp|(?:connectors|toolsets)\/[A-Za-z0-9_-]{1,48}\/mcp)$/;

/** What tokens for a path are for: the plain JSON routes are another face of `/mcp`. */
export function resourcePathOf(path: string): string {
  return path.startsWith('/mcp/') ? '/mcp' : path;
}

export function isResourcePath(path: string): boolean {
  return ENDPOINT.test(path);
}

export function createOwnResources(publicUrl: () => string): OwnResources {
  /** A hub on this machine only has three names, and clients compare addresses letter by letter. */
  function bases(): readonly string[] {
    const base = publicUrl();
    const { protocol, hostname, port, pathname } = new URL(base);
    if (protocol !== 'http:' || !LOOPBACK_NAMES.includes(hostname)) return [base];
    const rest = `${port === '' ? '' : `:${port}`}${pathname.replace(/\/$/, '')}`;
    return [base, ...LOOPBACK_NAMES.map((name) => `http://${name}${rest}`).filter((alias) => alias !== base)];
  }

  /** The path within the hub; undefined for what is not ours. */
  function within(resource: string): string | undefined {
    if (!URL.canParse(resource)) return undefined;
    const { origin, pathname, search, hash, username, password } = new URL(resource);
    if (`${search}${hash}${username}${password}` !== '') return undefined;
    const bare = `${origin}${pathname}`.replace(/\/$/, '');
    const base = bases().find((own) => bare === own || bare.startsWith(`${own}/`));
    return base === undefined ? undefined : bare.slice(base.length);
  }

  return {
    baseFor(host) {
      const base = publicUrl();
      return bases().find((own) => host !== undefined && new URL(own).host === host.toLowerCase()) ?? base;
    },
    isOwn(resource) {
      const path = within(resource);
      return path === '' || (path !== undefined && isResourcePath(path));
    },
    covers(resource, path) {
      const own = within(resource);
      // What is behind one endpoint is also behind `/mcp`, never the reverse.
      return own === '' || own === '/mcp' || (own !== undefined && own === resourcePathOf(path));
    },
  };
}
