/** Code whose tests are themselves put to the test: it is changed in many small ways, and some test must notice each. */
export interface MutationArea {
  readonly name: 'egress' | 'policy' | 'sessions' | 'authentication';
  readonly files: readonly string[];
  /** Glob patterns of the tests that judge: quick ones only, for each is run hundreds of times. */
  readonly tests: readonly string[];
}

export const MUTATION_AREAS: readonly MutationArea[] = [
  {
    name: 'egress',
    files: [
      'src/connectors/check-url.ts',
      'src/mcp/auth/address.ts',
      'src/upstreams/authorization-fetch.ts',
      'src/upstreams/decode-body.ts',
      'src/upstreams/egress.ts',
      'src/upstreams/guarded-fetch.ts',
      'src/upstreams/ways-out.ts',
    ],
    tests: [
      'src/connectors/check-url.test.ts',
      'src/mcp/auth/address.test.ts',
      'src/upstreams/egress.test.ts',
      'src/upstreams/guarded-fetch.test.ts',
      'src/upstreams/ways-out.test.ts',
    ],
  },
  {
    name: 'policy',
    files: [
      'src/governance/policy-arguments.ts',
      'src/governance/policy-directory.ts',
      'src/governance/policy-documents.ts',
      'src/governance/policy-engine.ts',
      'src/governance/policy-entities.ts',
      'src/governance/policy-problems.ts',
      'src/governance/risk.ts',
      'src/operations/confirmation.ts',
      'src/operations/flow-book.ts',
    ],
    tests: [
      'src/governance/accepted-policies.test.ts',
      'src/governance/policy-*.test.ts',
      'src/governance/risk.test.ts',
      'src/operations/confirmation.test.ts',
      'src/operations/flow-book.test.ts',
    ],
  },
  {
    name: 'authentication',
    files: [
      'src/agents/admin-directory.ts',
      'src/agents/agent-directory.ts',
      'src/agents/agent-key.ts',
      'src/agents/authenticator.ts',
      'src/agents/check-jwt.ts',
      'src/agents/introspect-token.ts',
      'src/agents/issuer-check.ts',
      'src/agents/issuer-keys.ts',
      'src/agents/openid-exchange.ts',
      'src/agents/proof-check.ts',
      'src/agents/single-sign-on.ts',
      'src/agents/subject-agent.ts',
      'src/agents/token-issuer.ts',
      'src/agents/token-verifier.ts',
      'src/edge/admin/authentication.ts',
      'src/edge/bearer-challenge.ts',
      'src/edge/client-network.ts',
      'src/edge/identify-caller.ts',
      'src/edge/network-of.ts',
      'src/operations/attempt-window.ts',
      'src/operations/check-admin-token.ts',
      'src/operations/refused-attempts.ts',
    ],
    tests: [
      'src/agents/*.test.ts',
      'src/edge/admin/authentication.test.ts',
      'src/edge/client-network.test.ts',
      'src/edge/identify-caller.test.ts',
      'src/edge/network-of.test.ts',
      'src/operations/attempt-window.test.ts',
      'src/operations/check-admin-token.test.ts',
    ],
  },
  {
    name: 'sessions',
    files: [
      'src/agents/browser-sessions.ts',
      'src/edge/kept-sessions/kept-session-store.ts',
      'src/edge/shared-sessions/open-shared-sessions.ts',
      'src/edge/shared-sessions/session-line.ts',
      'src/edge/shared-sessions/shared-event-store.ts',
      'src/edge/shared-sessions/shared-session-store.ts',
      'src/mcp/server/legacy/event-id.ts',
      'src/mcp/server/legacy/find-session.ts',
      'src/mcp/server/legacy/handshake.ts',
      'src/mcp/server/legacy/http-session.ts',
      'src/mcp/server/legacy/legacy-session.ts',
      'src/mcp/server/legacy/memory-event-store.ts',
      'src/mcp/server/legacy/memory-session-store.ts',
      'src/mcp/server/legacy/read-initialize.ts',
      'src/mcp/server/legacy/session-desk.ts',
      'src/mcp/server/legacy/session-reply.ts',
    ],
    tests: [
      'src/agents/browser-sessions.test.ts',
      'src/edge/kept-sessions/*.test.ts',
      'src/mcp/server/channel/*.test.ts',
      'src/mcp/server/legacy/*.test.ts',
      'test/replicas/shared-session-*.test.ts',
    ],
  },
];
