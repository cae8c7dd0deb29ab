import { afterAll, expect, test } from 'vitest';
import { HUB_ERROR_CODES } from '../../src/kernel/index.js';
import { ask, openAdminHub, type AdminHub, type AdminHubOptions, type Asked } from '../support/admin-hub.js';

/** One request to a hub, and all that must follow from it. */
export interface Scenario {
  readonly name: string;
  readonly options?: AdminHubOptions;
  readonly given?: (hub: AdminHub) => Promise<unknown>;
  readonly request: Asked | ((hub: AdminHub) => Promise<Asked>);
  readonly status: number;
  /** What the body must have at least. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  /** What the request must leave in the event log, all of it, in order. None unless given. */
  readonly events?: readonly object[];
  readonly after?: (hub: AdminHub, body: unknown) => Promise<unknown>;
}

/** Names of scenarios begin with what they are about. */
export function named(what: string, scenarios: readonly Scenario[]): readonly Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, name: `${what}: ${scenario.name}` }));
}

/** Every secret that tests use has this word in it. */
const CANARY = 'canary';

export function runScenarios(scenarios: readonly Scenario[]): void {
  let untouched: AdminHub | undefined;
  afterAll(() => untouched?.close());

  test.each(scenarios)('$name', async (scenario) => {
    if (leavesNothing(scenario)) {
      await checkScenario((untouched ??= await openAdminHub()), scenario);
      return;
    }
    const hub = await openAdminHub(scenario.options);
    try {
      await checkScenario(hub, scenario);
    } finally {
      await hub.close();
    }
  });
}

/** Those that neither need nor leave anything may share a hub. */
function leavesNothing({ options, given, request, events, after }: Scenario): boolean {
  const bare = options === undefined && given === undefined && events === undefined && after === undefined;
  return bare && typeof request !== 'function';
}

async function checkScenario(
  hub: AdminHub,
  { given, request, status, body, headers = {}, events = [], after }: Scenario,
): Promise<void> {
  await given?.(hub);
  const asked = typeof request === 'function' ? await request(hub) : request;
  const before = (await hub.recorded()).length;
  const response = await ask(hub, asked);
  const text = await response.text();
  expect({ status: response.status, text }).toEqual({ status, text: expect.any(String) });
  expectCommonFace(response, text);
  for (const [name, value] of Object.entries(headers))
    expect(response.headers.get(name), name).toMatch(value);
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  if (body !== undefined) expect(parsed).toMatchObject(body);
  const recorded = (await hub.recorded()).slice(before);
  expect(recorded.map(({ actor, event }) => ({ ...event, actor }))).toMatchObject(events);
  expect(JSON.stringify(recorded)).not.toContain(CANARY);
  await after?.(hub, parsed);
}

/** What every answer has and no answer has. */
export function expectCommonFace(response: Response, text: string): void {
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  expect(text).not.toContain(CANARY);
  if (response.status < 400) return;
  const { error, ...others } = JSON.parse(text) as { error: { code: string; message: string } };
  expect(others).toEqual({});
  expect(HUB_ERROR_CODES).toContain(error.code);
  expect(error.message.length).toBeGreaterThan(5);
  expect(error.message).not.toMatch(/\n\s+at /);
}

/** The answer of a request that must succeed. */
export async function tell(
  hub: AdminHub,
  asked: Asked,
): Promise<{ readonly body: Record<string, unknown>; readonly tag: string }> {
  const response = await ask(hub, asked);
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return {
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    tag: response.headers.get('etag') ?? '',
  };
}

export const ADMIN = {
  kind: 'admin',
  id: 'admin',
  request: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
};
export const HASH = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
/** Ids that are no ids: they must be unknown, whatever a layer below would make of them. */
export const HOSTILE_IDS = [
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  "x'%20OR%20'1'='1",
  'a;drop%20table%20connectors',
  'x'.repeat(5_000),
  '%00',
  'a__b',
  '__proto__',
  'constructor',
  '%E2%80%AE',
];
