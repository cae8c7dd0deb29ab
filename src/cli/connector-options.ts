import type { AuthInput, ConnectorInput, CredentialInput } from '../contract/index.js';
import { usageError } from './cli-error.js';
import type { Cli } from './cli.js';

/** What `connector add` was given about a remote upstream. */
export interface RemoteOptions {
  readonly header?: readonly string[];
  readonly bearerEnv?: string;
  readonly apiKeyEnv?: string;
  readonly apiKeyHeader?: string;
  readonly oauth?: boolean;
  readonly credentialMode?: 'none' | 'shared' | 'per_agent';
  readonly era?: 'auto' | 'legacy' | 'modern';
  readonly transport?: 'streamable_http' | 'sse';
  readonly name?: string;
  readonly agent?: string;
}

export interface RemoteInput {
  /** Without secrets. */
  readonly connector: ConnectorInput;
  readonly credential: CredentialInput | undefined;
}

export function toRemoteInput(cli: Cli, url: string, options: RemoteOptions): RemoteInput {
  const { auth, credential } = toAuth(cli, options);
  const { credentialMode, era, transport, name } = options;
  if (credentialMode === 'per_agent' && credential !== undefined && options.agent === undefined) {
    throw usageError(
      'whose credential is it?',
      'With --credential-mode per_agent name the agent with --agent.',
    );
  }
  return {
    connector: {
      url,
      ...(auth !== undefined && { auth }),
      ...(credentialMode !== undefined && { credentialMode }),
      ...(era !== undefined && { era }),
      ...(transport !== undefined && { transport }),
      ...(name !== undefined && { name }),
    },
    credential,
  };
}

function toAuth(
  cli: Cli,
  options: RemoteOptions,
): { readonly auth?: AuthInput; readonly credential?: CredentialInput } {
  const { header = [], bearerEnv, apiKeyEnv, apiKeyHeader, oauth } = options;
  const ways = [header.length > 0, bearerEnv !== undefined, apiKeyEnv !== undefined, oauth === true].filter(
    Boolean,
  );
  if (ways.length > 1) throw usageError('use only one of --header, --bearer-env, --api-key-env and --oauth');
  if (apiKeyHeader !== undefined && apiKeyEnv === undefined)
    throw usageError('--api-key-header belongs to --api-key-env');
  if (bearerEnv !== undefined)
    return { auth: { type: 'bearer' }, credential: { token: readVariable(cli, bearerEnv) } };
  if (apiKeyEnv !== undefined) {
    return {
      auth: { type: 'api_key', ...(apiKeyHeader !== undefined && { header: apiKeyHeader }) },
      credential: { value: readVariable(cli, apiKeyEnv) },
    };
  }
  if (oauth === true) return { auth: { type: 'oauth' } };
  if (header.length === 0) return {};
  const headers = Object.fromEntries(header.map((line) => splitHeader(cli, line)));
  return {
    auth: { type: 'header', headers: Object.fromEntries(Object.keys(headers).map((name) => [name, null])) },
    credential: { headers },
  };
}

/** Values are read from the environment, so that they appear in no list of processes. */
export function readVariable(cli: Cli, name: string): string {
  const value = cli.environment[name] ?? '';
  if (value === '')
    throw usageError(
      `the variable ${name} is not set`,
      `Set it first, for example with: read -rs ${name} && export ${name}`,
    );
  return value;
}

function splitHeader(cli: Cli, line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1)
    throw usageError(
      `--header "${line.slice(0, 32)}" is not a header`,
      'It looks like this: --header "X-Team: blue".',
    );
  const value = line.slice(colon + 1).trim();
  return [
    line.slice(0, colon).trim(),
    value.replace(/\$\{env:(\w+)\}/g, (_, name: string) => readVariable(cli, name)),
  ];
}
