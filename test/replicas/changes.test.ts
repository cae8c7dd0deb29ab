import { expect, test } from 'vitest';
import { recordHash } from '../../src/operations/record-hash.js';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { createSharedPlace, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Admins who change the same thing at the same moment, each at another replica. */

const keep = closeAfterEach();
const servers = useSharedServers();
const ROUNDS = 8;
const PERMIT = 'permit(principal == Agent::"anna", action, resource);';

interface Thing {
  readonly list: string;
  readonly fields: object;
  readonly method: 'PATCH' | 'PUT';
  readonly change: object;
  readonly removal: 'connector.removed' | 'agent.removed' | 'policy.changed';
}

const THINGS: readonly (readonly [string, Thing])[] = [
  [
    'a connector',
    {
      list: '/connectors',
      fields: { url: 'https://upstream.example/mcp', enabled: false },
      method: 'PATCH',
      change: { name: 'Other' },
      removal: 'connector.removed',
    },
  ],
  [
    'an agent',
    {
      list: '/agents',
      fields: {},
      method: 'PATCH',
      change: { name: 'Other' },
      removal: 'agent.removed',
    },
  ],
  [
    'a policy',
    {
      list: '/policies',
      fields: { text: PERMIT },
      method: 'PUT',
      change: { text: `${PERMIT}\n` },
      removal: 'policy.changed',
    },
  ],
];

async function startTwo(): Promise<readonly [TestHub, TestHub]> {
  const { folder, config } = keep(await createSharedPlace(servers()));
  return [keep(await startTestHub({ folder, config })), keep(await startTestHub({ folder, config }))];
}

/** What events say of a thing that is no more. */
const NOTHING = recordHash(undefined);

/** Of the version that somebody read before. */
async function statusOf(
  hub: TestHub,
  method: string,
  path: string,
  version: string,
  body?: object,
): Promise<number> {
  const { status } = await fetch(`${hub.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${hub.adminToken}`,
      'content-type': 'application/json',
      'if-match': version,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return status;
}

test.each(THINGS)(
  'B4.8: of a change and a removal of one version of %s one is refused',
  async (_, { list, fields, method, change }) => {
    const hubs = await startTwo();
    for (let round = 0; round < ROUNDS; round++) {
      const path = `${list}/thing${round}`;
      const added = await admin(hubs[0], 'POST', list, { id: `thing${round}`, ...fields });
      expect(added.status, JSON.stringify(added.body)).toBe(201);
      const version = added.headers.get('etag') ?? '';
      const [changer, remover] = round % 2 === 0 ? hubs : hubs.toReversed();
      const answers = await Promise.all([
        statusOf(changer, method, path, version, change),
        statusOf(remover, 'DELETE', path, version),
      ]);
      expect([
        [200, 412],
        [404, 204],
        [412, 204],
      ]).toContainEqual(answers);
    }
  },
  60_000,
);

test.each(THINGS)(
  'A-8: %s that two admins remove is removed once, and the log says so once',
  async (_, { list, fields, removal }) => {
    const hubs = await startTwo();
    for (let round = 0; round < ROUNDS; round++) {
      const path = `${list}/thing${round}`;
      await admin(hubs[0], 'POST', list, { id: `thing${round}`, ...fields });
      const answers = await Promise.all(hubs.map((hub) => admin(hub, 'DELETE', path)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404]);
    }
    await hubs[1].running.hub.events.flush();
    const removed = (await eventsOf(hubs[0], removal)).filter(({ after }) => after === NOTHING);
    expect(removed).toHaveLength(ROUNDS);
  },
  60_000,
);
