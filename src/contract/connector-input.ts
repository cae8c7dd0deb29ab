import { z } from 'zod';
import { displayText } from './display-text.js';

/** A connector as people write it: in a file, through the admin API, or in a client's `mcpServers`. */

const text = (max: number) => z.string().min(1).max(max);
const tags = z.array(displayText(64)).max(32);

/** What the hub would find out by itself, where an operator has to or wants to say it. */
const oauthSettings = {
  clientId: text(2_048).optional(),
  clientSecret: text(16_384).optional(),
  /** How the hub proves at the token endpoint that it is the client. */
  clientAuth: z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']).optional(),
  /** PEM (PKCS #8) or JWK. */
  privateKey: text(16_384).optional(),
  keyId: text(512).optional(),
  algorithm: z.enum(['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256']).optional(),
  issuer: text(2_048).optional(),
  tokenEndpoint: text(2_048).optional(),
  revocationEndpoint: text(2_048).optional(),
  /** What tokens are asked for; otherwise what the upstream says it is. */
  resource: text(2_048).optional(),
  scopes: z
    .array(text(256).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not a scope'))
    .max(64)
    .optional(),
};

export const authInput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: text(16_384).optional() }),
  z.strictObject({
    type: z.literal('api_key'),
    header: text(128).optional(),
    value: text(16_384).optional(),
  }),
  z.strictObject({
    type: z.literal('header'),
    headers: z.record(text(128), z.union([text(16_384), z.null()])),
  }),
  z.strictObject({
    type: z.literal('oauth'),
    ...oauthSettings,
    authorizationEndpoint: text(2_048).optional(),
    registrationEndpoint: text(2_048).optional(),
    /** Beyond those of the specification, for servers that want their own, such as `access_type`. */
    authorizationParameters: z.record(text(128), text(2_048)).optional(),
  }),
  z.strictObject({ type: z.literal('client_credentials'), ...oauthSettings }),
]);

export const operatorPromptInput = z.strictObject({
  name: displayText(128),
  title: displayText(200).optional(),
  description: text(2_000).optional(),
  arguments: z
    .array(
      z.strictObject({
        name: text(128),
        description: text(2_000).optional(),
        required: z.boolean().optional(),
      }),
    )
    .max(32)
    .optional(),
  text: text(200_000),
  tools: z.array(text(128)).max(200).optional(),
});

const milliseconds = (max: number) => z.int().min(1).max(max);

/** Everything but the two ways to reach an upstream. */
const shared = {
  name: displayText(200).optional(),
  enabled: z.boolean().optional(),
  disabled: z.boolean().optional(),
  era: z.enum(['auto', 'legacy', 'modern']).optional(),
  timeouts: z
    .strictObject({
      connectMs: milliseconds(60_000).optional(),
      requestMs: milliseconds(3_600_000).optional(),
      totalMs: milliseconds(86_400_000).optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      responseBytes: z.int().min(1_024).max(1_073_741_824).optional(),
      resultBytes: z.int().min(256).max(1_073_741_824).optional(),
      sseReconnects: z.int().min(0).max(20).optional(),
      concurrency: z.int().min(1).max(10_000).optional(),
      queue: z.int().min(0).max(100_000).optional(),
      breakerFailures: z.int().min(0).max(10_000).optional(),
      memoryBytes: z.int().min(0).max(1_099_511_627_776).optional(),
      cpuSeconds: z.int().min(0).max(2_592_000).optional(),
      processes: z.int().min(0).max(100_000).optional(),
    })
    .optional(),
  isolation: z.enum(['shared', 'per_principal', 'per_session', 'per_call']).optional(),
  retries: z.int().min(0).max(5).optional(),
  hideWhenUnhealthy: z.boolean().optional(),
  changedTools: z.enum(['offer', 'hold']).optional(),
  prompts: z.array(operatorPromptInput).max(100).optional(),
  tags: tags.optional(),
  toolTags: z.record(text(128), tags).optional(),
};

export const HTTP_FIELDS = ['url', 'headers', 'auth', 'credentialMode', 'allowPrivateNetwork'] as const;
export const STDIO_FIELDS = ['command', 'args', 'env', 'cwd', 'pins', 'idleStopMs', 'maxLifetimeMs'] as const;

export const connectorInput = z.strictObject({
  ...shared,
  transport: z.enum(['streamable_http', 'sse', 'stdio']).optional(),
  /** How other programs spell the transport. */
  type: z.enum(['http', 'streamable-http', 'streamable_http', 'streamableHttp', 'sse', 'stdio']).optional(),
  url: text(2_048).optional(),
  headers: z.record(text(128), text(16_384)).optional(),
  auth: authInput.optional(),
  credentialMode: z.enum(['none', 'shared', 'per_agent']).optional(),
  allowPrivateNetwork: z.boolean().optional(),
  command: text(4_096).optional(),
  args: z.array(z.string().max(32_768)).max(256).optional(),
  env: z.record(text(128), z.string().max(32_768)).optional(),
  cwd: text(4_096).optional(),
  /** By file: its SHA-256 in hex. */
  pins: z.record(text(4_096), z.string().regex(/^[0-9a-fA-F]{64}$/, 'is not a SHA-256 in hex')).optional(),
  idleStopMs: z.int().min(0).max(86_400_000).optional(),
  maxLifetimeMs: z.int().min(0).max(2_592_000_000).optional(),
});

export type ConnectorInput = z.infer<typeof connectorInput>;
export type AuthInput = z.infer<typeof authInput>;
