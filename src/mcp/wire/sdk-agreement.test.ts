import * as sdk from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from '../jsonrpc/index.js';
import {
  ASSUMED_LEGACY,
  LEGACY_REVISIONS,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_RELATED_TASK,
  META_REVISION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  MISSING_CLIENT_CAPABILITY,
  MODERN_REVISIONS,
  NEWEST_LEGACY,
  NEWEST_MODERN,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_REVISION,
  URL_ELICITATION_REQUIRED,
} from './index.js';

/** The constants of the specification, as the official library has them. */

test('revisions', () => {
  expect(NEWEST_LEGACY).toBe(sdk.LATEST_PROTOCOL_VERSION);
  expect(ASSUMED_LEGACY).toBe(sdk.DEFAULT_NEGOTIATED_PROTOCOL_VERSION);
  // A version from before the first published specification; nobody who speaks it is left.
  expect(sdk.SUPPORTED_PROTOCOL_VERSIONS).toEqual([...LEGACY_REVISIONS, '2024-10-07']);
  const refused = new sdk.UnsupportedProtocolVersionError({
    supported: [...MODERN_REVISIONS],
    requested: '2027-01-01',
  });
  expect(refused.supported).toEqual([NEWEST_MODERN]);
});

test.each([
  [META_REVISION, sdk.PROTOCOL_VERSION_META_KEY],
  [META_CLIENT_CAPABILITIES, sdk.CLIENT_CAPABILITIES_META_KEY],
  [META_CLIENT_INFO, sdk.CLIENT_INFO_META_KEY],
  [META_SERVER_INFO, sdk.SERVER_INFO_META_KEY],
  [META_LOG_LEVEL, sdk.LOG_LEVEL_META_KEY],
  [META_SUBSCRIPTION_ID, sdk.SUBSCRIPTION_ID_META_KEY],
  [META_RELATED_TASK, sdk.RELATED_TASK_META_KEY],
])('_meta key %s', (ours, theirs) => {
  expect(ours).toBe(theirs);
});

test.each([
  [PARSE_ERROR, sdk.ProtocolErrorCode.ParseError],
  [INVALID_REQUEST, sdk.ProtocolErrorCode.InvalidRequest],
  [METHOD_NOT_FOUND, sdk.ProtocolErrorCode.MethodNotFound],
  [INVALID_PARAMS, sdk.ProtocolErrorCode.InvalidParams],
  [INTERNAL_ERROR, sdk.ProtocolErrorCode.InternalError],
  [RESOURCE_NOT_FOUND, sdk.ProtocolErrorCode.ResourceNotFound],
  [MISSING_CLIENT_CAPABILITY, sdk.ProtocolErrorCode.MissingRequiredClientCapability],
  [UNSUPPORTED_REVISION, sdk.ProtocolErrorCode.UnsupportedProtocolVersion],
  [URL_ELICITATION_REQUIRED, sdk.ProtocolErrorCode.UrlElicitationRequired],
])('error code %i', (ours, theirs) => {
  expect(ours).toBe(theirs);
});
