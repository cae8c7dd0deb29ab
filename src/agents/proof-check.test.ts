import { expect, test } from 'vitest';
import { toAgentId, toKeyId, type Clock } from '../kernel/index.js';
import type { KnownAdmin } from './admin-directory.js';
import type { Agent, AgentKey } from './agent.js';
import type { BrowserPrincipal, BrowserProof } from './browser-session.js';
import { createProofCheck } from './proof-check.js';

const NOW = 1_000_000;
const clock: Clock = { now: () => NOW, monotonic: () => 0 };
const agent = (id: string, enabled = true): Agent => ({ id: toAgentId(id), enabled }) as Agent;
const key = (id: string, expiresAt?: number): AgentKey => ({ id: toKeyId(id), expiresAt }) as AgentKey;

const AGENTS = new Map([agent('ci'), agent('off', false)].map((each) => [String(each.id), each]));
const KEYS = [key('for-ever'), key('good', NOW + 1), key('just-over', NOW)];
const ADMIN = { id: 'anna', role: 'operator', tokenDigest: 'digest' } as KnownAdmin;

const CI: BrowserPrincipal = { kind: 'agent', id: toAgentId('ci') };
const OFF: BrowserPrincipal = { kind: 'agent', id: toAgentId('off') };
const ANNA: BrowserPrincipal = { kind: 'admin', id: 'anna', role: 'operator' };
const BERT: BrowserPrincipal = { kind: 'admin', id: 'oidc:bert', role: 'viewer' };

/** What the provider's word is worth now, by who it spoke of. */
const NOW_WORTH: Readonly<Record<string, BrowserPrincipal>> = { ci: CI, off: OFF, bert: BERT };

const holds = createProofCheck({
  agents: {
    find: (id) => Promise.resolve(AGENTS.get(id)),
    listKeys: (id) => Promise.resolve(AGENTS.has(id) ? KEYS : []),
  },
  admins: { find: (id) => Promise.resolve(id === 'anna' ? ADMIN : undefined) },
  principalOf: (issuer, values, id) =>
    issuer === 'https://idp.example' && values.includes('staff') ? NOW_WORTH[id] : undefined,
  clock,
});

const shown = (id: string): BrowserProof => ({ kind: 'key', key: id });
const token = (digest: string): BrowserProof => ({ kind: 'token', digest });
const word = (id: string, values = ['staff'], issuer = 'https://idp.example'): BrowserProof => ({
  kind: 'single_sign_on',
  issuer,
  id,
  values,
});

test.each<[string, BrowserPrincipal, BrowserProof, boolean]>([
  ['a key without an end', CI, shown('for-ever'), true],
  ['a key before its end', CI, shown('good'), true],
  ['a key at its end', CI, shown('just-over'), false],
  ['a key that was revoked', CI, shown('gone'), false],
  ['a key of an agent that is off', OFF, shown('good'), false],
  ['a key of an agent that is gone', { kind: 'agent', id: toAgentId('gone') }, shown('good'), false],
  ['a key of an agent, for an admin', { ...ANNA, id: 'ci' }, shown('good'), false],
  ['the token of an admin', ANNA, token('digest'), true],
  ['a token that was replaced', ANNA, token('old'), false],
  ['the token of an admin whose role changed', { ...ANNA, role: 'owner' }, token('digest'), false],
  ['the token of an admin who is gone', { ...ANNA, id: 'carl' }, token('digest'), false],
  ['the token of an admin, for an agent', { kind: 'agent', id: toAgentId('anna') }, token('digest'), false],
  ['the word of the provider for an agent', CI, word('ci'), true],
  ['the word of the provider for an agent that is off', OFF, word('off'), false],
  ['the word of the provider for an admin', BERT, word('bert'), true],
  ['the word of the provider, with another role now', { ...BERT, role: 'owner' }, word('bert'), false],
  ['the word of the provider, which makes another now', { ...BERT, id: 'oidc:carl' }, word('bert'), false],
  ['the word of the provider, which makes an agent now', { ...BERT, id: 'ci' }, word('ci'), false],
  ['the word of the provider, which makes nobody now', BERT, word('bert', ['guests']), false],
  ['the word of a provider of before', BERT, word('bert', ['staff'], 'https://old.example'), false],
])('%s', async (_what, principal, proof, expected) => {
  expect(await holds(principal, proof)).toBe(expected);
});
