import type { HubErrorCode } from '../kernel/index.js';

/** How a failure looks outside. A number is a JSON-RPC code; `result` is a tool result with `isError`. */
export interface Faces {
  readonly modern: number | 'result';
  readonly legacy: number | 'result';
  /** HTTP status of the admin API. */
  readonly admin: number;
}

/** Codes of our own lie outside the ranges that JSON-RPC and MCP reserve. */
const RATE_LIMITED = -31_029;
const OVERLOADED = -31_053;

const tool = (admin: number): Faces => ({ modern: 'result', legacy: 'result', admin });
const rpc = (code: number, admin: number): Faces => ({ modern: code, legacy: code, admin });

export const ERROR_FACES: Readonly<Record<HubErrorCode, Faces>> = {
  invalid_request: rpc(-32_602, 400),
  request_too_large: rpc(-32_600, 413),
  unsupported_media_type: rpc(-32_600, 415),
  method_not_allowed: rpc(-32_600, 405),
  not_supported: rpc(-32_603, 409),
  unauthenticated: rpc(-32_603, 401),
  forbidden: rpc(-32_603, 403),
  not_found: rpc(-32_602, 404),
  conflict: rpc(-32_603, 409),
  precondition_failed: rpc(-32_603, 412),
  unknown_tool: rpc(-32_602, 404),
  unknown_prompt: rpc(-32_602, 404),
  unknown_resource: rpc(-32_602, 404),
  invalid_cursor: rpc(-32_602, 400),
  policy_denied: { modern: 'result', legacy: -32_000, admin: 403 },
  flow_denied: { modern: 'result', legacy: -32_000, admin: 403 },
  confirmation_required: { modern: 'result', legacy: -32_000, admin: 403 },
  arguments_invalid: tool(422),
  arguments_too_large: tool(413),
  credential_required: tool(409),
  oauth_refused: tool(502),
  oauth_unavailable: tool(502),
  connector_disabled: tool(409),
  upstream_unavailable: tool(502),
  upstream_timeout: tool(504),
  upstream_closed: tool(502),
  upstream_protocol: tool(502),
  upstream_too_large: tool(502),
  upstream_rejected: rpc(-32_603, 502),
  egress_denied: tool(502),
  result_too_large: tool(502),
  output_invalid: tool(502),
  rate_limited: { modern: RATE_LIMITED, legacy: -32_000, admin: 429 },
  overloaded: { modern: OVERLOADED, legacy: -32_000, admin: 503 },
  audit_unavailable: { modern: OVERLOADED, legacy: -32_000, admin: 503 },
  shutting_down: { modern: OVERLOADED, legacy: -32_000, admin: 503 },
  cancelled: tool(499),
  config_invalid: rpc(-32_603, 400),
  storage_unavailable: { modern: OVERLOADED, legacy: -32_000, admin: 503 },
  internal: rpc(-32_603, 500),
};
