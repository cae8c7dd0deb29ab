import { expect, test } from 'vitest';
import { parseConnector } from '../connectors/index.js';
import { belongsTo, credentialState } from './credential-state.js';

const GRANT = {
  issuer: 'https://login.example',
  resource: 'https://mcp.example/mcp',
  clientId: 'hub',
  scopes: [],
  obtainedAt: 0,
  expiresAt: undefined,
  problem: undefined,
};

const connectorAt = (url: string) =>
  parseConnector('c', { url, auth: { type: 'oauth' } }, { source: 'file', now: 0 });

test.each([
  ['https://mcp.example/mcp', 'https://mcp.example/mcp', true],
  ['https://mcp.example/mcp', 'https://mcp.example/mcp/', true],
  ['https://mcp.example/mcp', 'https://mcp.example/mcp/team', true],
  ['https://mcp.example', 'https://mcp.example/mcp', true],
  ['https://mcp.example/mcp', 'https://mcp.example/mcp?team=a', true],
  ['https://mcp.example/mcp?team=a', 'https://mcp.example/mcp?team=a', true],
  ['https://mcp.example/mcp?team=a', 'https://mcp.example/mcp?team=b', false],
  ['https://mcp.example/mcp?team=a', 'https://mcp.example/mcp', false],
  ['https://mcp.example/mcp', 'https://mcp.example/mcp2', false],
  ['https://mcp.example/mcp', 'https://mcp.example:8443/mcp', false],
  ['https://mcp.example/mcp', 'http://mcp.example/mcp', false],
  ['no address', 'https://mcp.example/mcp', false],
])('a token for %s may go to %s: %s', (resource, url, expected) => {
  const grant = { ...GRANT, resource };
  expect(belongsTo(grant, connectorAt(url))).toBe(expected);
  const { state } = credentialState({ grant, values: {} }, connectorAt(url), 1);
  expect(state).toBe(expected ? 'valid' : 'needs_sign_in');
});
