import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../src/app/index.js';
import { ADMIN_BASE_PATH, ADMIN_ROUTES, type AdminRoute } from '../../src/contract/index.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

const canary = (name: string): string => `canary-${name}-0123456789abcdef`;

/** One of each kind. Those that the hub makes itself are added when it runs. */
const PLANTED: Record<string, string> = Object.fromEntries(
  [
    'bearer',
    'api-key',
    'header',
    'environment',
    'query',
    'client-secret',
    'machine-secret',
    'agent-key',
    'admin-account',
    'provider-secret',
    'introspection-secret',
    'stored-credential',
    'wrong-key',
  ].map((name) => [name, canary(name)]),
);

const CLOSED = 'http://127.0.0.1:9';
const CONFIG = {
  admin: {
    accounts: { ann: { role: 'operator', token: PLANTED['admin-account'] } },
    oidc: {
      issuer: CLOSED,
      clientId: 'hub',
      clientSecret: PLANTED['provider-secret'],
      roles: { owner: ['ann@example.com'] },
    },
  },
  auth: {
    issuers: [
      {
        issuer: CLOSED,
        introspection: {
          url: `${CLOSED}/introspect`,
          clientId: 'hub',
          clientSecret: PLANTED['introspection-secret'],
        },
        agents: { automatic: true },
      },
    ],
  },
  agents: { ci: { keys: [PLANTED['agent-key']] } },
  connectors: {
    bearer: {
      url: `${CLOSED}/mcp?key=${PLANTED['query']}`,
      auth: { type: 'bearer', token: PLANTED['bearer'] },
    },
    key: { url: `${CLOSED}/mcp`, auth: { type: 'api_key', value: PLANTED['api-key'] } },
    headers: { url: `${CLOSED}/mcp`, headers: { 'X-Secret': PLANTED['header'] } },
    child: { command: 'node', args: ['-e', 'process.exit(1)'], env: { SECRET: PLANTED['environment'] } },
    person: {
      url: `${CLOSED}/mcp`,
      credentialMode: 'per_agent',
      auth: { type: 'oauth', issuer: CLOSED, clientId: 'hub', clientSecret: PLANTED['client-secret'] },
    },
    machine: {
      url: `${CLOSED}/mcp`,
      auth: {
        type: 'client_credentials',
        issuer: CLOSED,
        clientId: 'hub',
        clientSecret: PLANTED['machine-secret'],
      },
    },
    each: { url: `${CLOSED}/mcp`, credentialMode: 'per_agent', auth: { type: 'bearer' } },
  },
};

let hub: TestHub;
const lines: string[] = [];
const answers: string[] = [];
beforeAll(async () => {
  const logger = createLogger({ level: 'debug', format: 'json', write: (line) => void lines.push(line) });
  hub = await startTestHub({ config: CONFIG, logger });
  const { folder } = hub.running;
  Object.assign(PLANTED, {
    'admin token': hub.adminToken,
    'key of local': hub.localKey,
    'master key': folder.masterKeys.active.key.toString('base64'),
  });
  await use();
});
afterAll(() => hub?.close());

async function ask(method: string, path: string, body?: object, token = hub.adminToken): Promise<string> {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(text, JSON.stringify([...response.headers]));
  return text;
}

/** Everything that touches a secret, going well or not, then everything that shows something. */
async function use(): Promise<void> {
  const api = (method: string, path: string, body?: object) => ask(method, `${ADMIN_BASE_PATH}${path}`, body);
  await api('POST', '/agents', { id: 'made' });
  const [key] = /cpk_[\w-]+/.exec(await api('POST', '/agents/made/keys')) ?? [];
  PLANTED['key made by the hub'] = key ?? '';
  answers.splice(0);
  await api('PUT', '/connectors/each/credentials/ci', { token: PLANTED['stored-credential'] });
  for (const id of Object.keys(CONFIG.connectors)) {
    await api('POST', `/connectors/${id}/sync`, { agent: 'ci' });
    await api('POST', `/connectors/${id}/connect`, { agent: 'ci' });
    await api('POST', `/connectors/${id}/check`);
  }
  for (const token of [key ?? '', PLANTED['wrong-key'] ?? '', hub.adminToken])
    await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, token);
  await ask('GET', `${ADMIN_BASE_PATH}/status`, undefined, PLANTED['agent-key']);
  const routes: readonly AdminRoute[] = Object.values(ADMIN_ROUTES).flatMap((group) => Object.values(group));
  for (const { method, path, answers: kind } of routes) {
    if (method !== 'get' || kind === 'event_stream') continue;
    if (!path.includes('{')) await api('GET', path);
    else
      for (const id of [...Object.keys(CONFIG.connectors), 'ci'])
        await api(
          'GET',
          path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'owner' ? 'ci' : id)),
        );
  }
  await hub.running.hub.events.flush();
}

describe('a secret of any kind is in', () => {
  const check = (where: string, text: string): void => {
    const found = Object.entries(PLANTED).filter(([, secret]) => text.includes(secret));
    expect(found.map(([name]) => `${name} in ${where}`)).toEqual([]);
  };

  test('no line of the log, at debug level', () => {
    expect(lines.length).toBeGreaterThan(5);
    check('the log', lines.join(''));
  });

  test('no answer of the admin API or of an endpoint', () => {
    expect(answers.length).toBeGreaterThan(100);
    check('an answer', answers.join('\n'));
  });

  test('no event', async () => {
    const events = await hub.running.hub.storage.events.query({ limit: 10_000, order: 'oldest' });
    expect(events.length).toBeGreaterThan(5);
    check('an event', JSON.stringify(events));
  });

  test('no file but those that are there to hold it', () => {
    const data = hub.running.folder.path;
    const files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(data, join(entry.parentPath, entry.name)))
      .filter((name) => !/^(?:master\.key|(?:admin|local)\.token)$/.test(name));
    expect(files).toContain('hub.db');
    for (const name of files) check(name, readFileSync(join(data, name), 'latin1'));
  });

  test('at least twelve kinds were planted, none of them empty', () => {
    expect(Object.keys(PLANTED).length).toBeGreaterThanOrEqual(12);
    expect(Object.values(PLANTED).every((secret) => secret.length >= 12)).toBe(true);
  });
});
