import { describe, expect, test } from 'vitest';
import { ALICE, MACHINE, ONE, open } from '../../test/support/token-keeper.js';
import type { HubError } from '../kernel/index.js';
import type { CredentialOwner } from './credential.js';

/** What a keeper of tokens does when an upstream is not content with one. */

describe('a token that an upstream refuses', () => {
  test('is renewed once; a second refusal wants a person', async () => {
    const { keeper, store, flow } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    const shown = access.headers;
    expect(await keeper.renew(ONE, access, shown, undefined)).toBe(true);
    expect(await keeper.renew(ONE, access, shown, undefined)).toBe(true);
    expect(flow.calls.refresh).toBe(1);
    await keeper.distrust(ONE, access);
    expect(store.row()?.grant?.problem?.state).toBe('needs_reauth');
    await expect(keeper.accessFor(ONE, ALICE)).rejects.toMatchObject({ code: 'credential_required' });
  });

  test('without a refresh token wants a person at once', async () => {
    const { keeper, store, flow } = open();
    store.put({ refresh: null });
    const access = await keeper.accessFor(ONE, ALICE);
    await expect(keeper.renew(ONE, access, access.headers, undefined)).rejects.toMatchObject({
      code: 'credential_required',
    });
    expect(store.row()?.grant?.problem?.state).toBe('needs_reauth');
    expect(flow.calls.refresh).toBe(0);
  });
});

describe('more rights', () => {
  const challenge = (scopes: string) => `Bearer error="insufficient_scope", scope="${scopes}"`;

  test('O-13: are asked for twice an hour at most', async () => {
    const { keeper, store, clock } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    const stepOf = async (scopes: string) =>
      ((await keeper.widen(ONE, access, challenge(scopes))) as HubError | undefined)?.details;
    expect(await stepOf('write')).toMatchObject({ reason: 'sign_in_required', step: 'step-up-1' });
    expect(await stepOf('write')).toMatchObject({ step: 'step-up-1' });
    expect(await stepOf('admin')).toMatchObject({ step: 'step-up-2' });
    expect(store.row()?.grant?.stepUp?.scopes).toEqual(['write', 'admin']);
    expect(await stepOf('root')).toMatchObject({ reason: 'step_up_limit' });
    clock.at += 3_600_001;
    store.row();
    expect(await stepOf('root')).toMatchObject({ reason: 'sign_in_required' });
    expect(await stepOf('read')).toBeUndefined();
  });

  test('are nothing that another refusal is about', async () => {
    const { keeper, store } = open();
    store.put();
    const access = await keeper.accessFor(ONE, ALICE);
    expect(await keeper.widen(ONE, access, 'Bearer error="invalid_token"')).toBeUndefined();
  });
});

describe('a hub that signs in as itself', () => {
  const SHARED: CredentialOwner = { kind: 'shared' };

  test('gets a token when it is needed, keeps it, and gets another when it is refused', async () => {
    const { keeper, store, flow } = open();
    const access = await keeper.accessFor(MACHINE, SHARED);
    expect(access.headers['authorization']).toContain('canary-access');
    await keeper.accessFor(MACHINE, SHARED);
    expect(flow.calls.machine).toBe(1);
    expect(store.row(SHARED)).toMatchObject({ version: 1, account: 'default' });
    const shown = access.headers;
    expect(await keeper.renew(MACHINE, access, shown, undefined)).toBe(true);
    expect(access.headers).not.toBe(shown);
    expect(flow.calls.machine).toBe(2);
  });

  test('does not ask for a token at every call that is refused', async () => {
    const { keeper, flow } = open();
    const access = await keeper.accessFor(MACHINE, SHARED);
    await keeper.renew(MACHINE, access, access.headers, undefined);
    await keeper.distrust(MACHINE, access);
    await keeper.accessFor(MACHINE, SHARED);
    await expect(keeper.renew(MACHINE, access, access.headers, undefined)).rejects.toMatchObject({
      code: 'oauth_unavailable',
    });
    expect(flow.calls.machine).toBe(2);
  });
});
