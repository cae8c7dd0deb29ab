import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_BASE_PATH, ADMIN_ROUTES, EVENT_TYPES, type AdminRoute } from '../../src/contract/index.js';
import type { HubEventType } from '../../src/governance/index.js';
import { ask, openAdminHub, type AdminHub } from '../support/admin-hub.js';

interface Description {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly operationId: string; readonly security: object; readonly responses: object }
        >
      >
    >
  >;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

let hub: AdminHub;
beforeAll(async () => {
  hub = await openAdminHub();
});
afterAll(() => hub.close());

/** What the app answers, from the app itself. */
function routesOfApp(): string[] {
  const own = hub.app.routes.filter(({ method }) => method !== 'ALL');
  return own
    .map(
      ({ method, path }) => `${method} ${path.slice(ADMIN_BASE_PATH.length).replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    .toSorted();
}

test('the app answers exactly what the contract says', () => {
  const contract: AdminRoute[] = Object.values(ADMIN_ROUTES).flatMap(
    (group) => Object.values(group) as AdminRoute[],
  );
  expect(routesOfApp()).toEqual(
    contract.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
  );
  expect(new Set(contract.map(({ id }) => id)).size).toBe(contract.length);
});

test('the description is OpenAPI 3.1 and has every route, each with its shapes', async () => {
  const response = await ask(hub, { method: 'GET', path: '/openapi.json' });
  const description = (await response.json()) as Description;
  expect(description.openapi).toBe('3.1.0');
  expect(description.servers).toEqual([{ url: ADMIN_BASE_PATH }]);
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.toSorted()).toEqual(routesOfApp());
  for (const operation of Object.values(description.paths).flatMap((methods) => Object.values(methods))) {
    expect(operation.security).toEqual([{ adminToken: [] }]);
    expect(operation.responses).toHaveProperty('default');
  }
  expect(description.components.schemas).toHaveProperty('ConnectorDetail');
  const text = JSON.stringify(description);
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
    expect(description.components.schemas).toHaveProperty(name as string);
});

test('the documentation lists every route with the role it needs', () => {
  const text = readFileSync(new URL('../../docs/admin-api.md', import.meta.url), 'utf8');
  for (const group of Object.values(ADMIN_ROUTES)) {
    for (const { method, path, role } of Object.values(group) as AdminRoute[]) {
      expect(text).toMatch(
        new RegExp(
          `^\\| \`${method.toUpperCase()} ${path.replaceAll(/[{}/.]/g, '\\$&')}\` \\| ${role} \\|`,
          'm',
        ),
      );
    }
  }
  const documented = [...text.matchAll(/^\| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)` \|/gm)].map(
    ([, route]) => route as string,
  );
  expect(documented.toSorted()).toEqual(routesOfApp());
});

test('the contract names every type of event', () => {
  // A type that is missing here does not compile.
  const all: Readonly<Record<HubEventType, true>> = Object.fromEntries(
    EVENT_TYPES.map((type) => [type, true]),
  ) as Record<(typeof EVENT_TYPES)[number], true>;
  expect(Object.keys(all).length).toBe(EVENT_TYPES.length);
});
