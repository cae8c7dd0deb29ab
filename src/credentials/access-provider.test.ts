import { describe, expect, test } from 'vitest';
import { parseConnector, type Connector } from '../connectors/index.js';
import { Secret, toAgentId } from '../kernel/index.js';
import { createAccessProvider } from './access-provider.js';
import type { Credential, CredentialOwner } from './credential.js';

const ALICE = toAgentId('alice');
const BOB = toAgentId('bob');
const connector = (input: object): Connector =>
  parseConnector('c', { url: 'https://mcp.example.com/mcp', ...input }, { source: 'file', now: 0 });

const NO_TOKENS = {
  accessFor: () => expect.unreachable(),
  findAccess: async () => undefined,
  renew: async () => false,
  distrust: async () => undefined,
  widen: async () => undefined,
};

/** A vault with values for `shared` or for agents. */
function provider(vault: Readonly<Record<string, Readonly<Record<string, string>>>> = {}) {
  const nameOf = (owner: CredentialOwner): string => (owner.kind === 'shared' ? 'shared' : owner.agent);
  return createAccessProvider({
    tokens: NO_TOKENS,
    credentials: {
      find: async (id, owner): Promise<Credential | undefined> => {
        const values = vault[nameOf(owner)];
        if (values === undefined) return Promise.resolve(undefined);
        const secrets = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, new Secret(value)]),
        );
        return Promise.resolve({
          connector: id,
          owner,
          account: 'default',
          isDefault: true,
          values: secrets,
          grant: undefined,
          version: 1,
          updatedAt: 0,
        });
      },
    },
  });
}

describe('what an upstream is shown', () => {
  test.each<readonly [string, object, Readonly<Record<string, string>>]>([
    ['nothing', {}, {}],
    ['a bearer token', { auth: { type: 'bearer', token: 't' } }, { authorization: 'Bearer t' }],
    ['a key in the usual header', { auth: { type: 'api_key', value: 'k' } }, { 'x-api-key': 'k' }],
    [
      'a key in a header of choice',
      { auth: { type: 'api_key', header: 'X-Other', value: 'k' } },
      { 'x-other': 'k' },
    ],
    ['several headers', { auth: { type: 'header', headers: { A: '1', B: '2' } } }, { a: '1', b: '2' }],
    [
      'headers as other programs write them',
      { headers: { Authorization: 'Basic x' } },
      { authorization: 'Basic x' },
    ],
  ])('%s', async (_what, input, headers) => {
    expect((await provider().accessFor(connector(input), ALICE)).headers).toEqual(headers);
  });

  test('the vault goes before the file', async () => {
    const access = await provider({ shared: { token: 'stored' } }).accessFor(
      connector({ auth: { type: 'bearer', token: 'file' } }),
      ALICE,
    );
    expect(access.headers).toEqual({ authorization: 'Bearer stored' });
  });

  test('some values may be in the file and some in the vault', async () => {
    const mixed = connector({ auth: { type: 'header', headers: { A: '1', B: null } } });
    expect((await provider({ shared: { B: '2' } }).accessFor(mixed, ALICE)).headers).toEqual({
      a: '1',
      b: '2',
    });
    await expect(provider().accessFor(mixed, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
  });
});

describe('whose it is', () => {
  const perAgent = connector({ auth: { type: 'bearer', token: 'file' }, credentialMode: 'per_agent' });

  test('each agent shows its own, never the shared one or that of another', async () => {
    const credentials = provider({ alice: { token: 'a' }, shared: { token: 's' } });
    expect((await credentials.accessFor(perAgent, ALICE)).headers).toEqual({ authorization: 'Bearer a' });
    await expect(credentials.accessFor(perAgent, BOB)).rejects.toMatchObject({
      code: 'credential_required',
      message: expect.stringMatching(
        /a credential of agent bob: .*connector connect c --agent bob"$/,
      ) as string,
    });
  });

  test('identities differ by owner and by secret, and reveal neither', async () => {
    const ids = await Promise.all([
      provider({ alice: { token: 'same-secret' } }).accessFor(perAgent, ALICE),
      provider({ bob: { token: 'same-secret' } }).accessFor(perAgent, BOB),
      provider({ alice: { token: 'other-secret' } }).accessFor(perAgent, ALICE),
      provider({ shared: { token: 'same-secret' } }).accessFor(
        connector({ auth: { type: 'bearer' } }),
        ALICE,
      ),
      provider().accessFor(connector({}), ALICE),
    ]).then((accesses) => accesses.map(({ id }) => id));
    expect(new Set(ids).size).toBe(5);
    expect(ids.join()).not.toContain('secret');
    expect((await provider({ alice: { token: 'same-secret' } }).accessFor(perAgent, ALICE)).id).toBe(ids[0]);
  });
});

describe('for listing', () => {
  const owners = async (input: object, vault: Parameters<typeof provider>[0], agent?: typeof ALICE) =>
    (await provider(vault).listingAccesses(connector(input), agent)).map(({ owner }) => owner);

  test('the shared account first, then nothing, then the given agent', async () => {
    const vault = { shared: { token: 's' }, alice: { token: 'a' }, bob: { token: 'b' } };
    expect(await owners({ auth: { type: 'bearer' } }, vault, ALICE)).toEqual([
      'shared',
      'anonymous',
      'alice',
    ]);
    expect(await owners({ auth: { type: 'bearer' } }, vault)).toEqual(['shared', 'anonymous']);
    expect(
      await owners(
        { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
        { alice: { token: 'a' } },
        ALICE,
      ),
    ).toEqual(['anonymous', 'alice']);
    expect(await owners({ auth: { type: 'bearer' } }, {})).toEqual(['anonymous']);
    expect(await owners({}, vault, ALICE)).toEqual(['anonymous']);
  });
});
