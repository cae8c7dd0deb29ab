import { resolve } from 'node:path';
import type { ConnectorInput } from '../../contract/index.js';
import type { Secret } from '../../kernel/index.js';
import { findForeignReference } from '../config/expand-references.js';
import { hideSecretsOf } from './hide-secrets.js';
import { looksSecret } from '../../connectors/index.js';
import {
  describeMissing,
  resolvePlaceholders,
  type PlaceholderSources,
  type Resolved,
} from './placeholders.js';
import type { RawServer } from './read-entry.js';
import type { VariableNames } from './variable-names.js';

export interface LocalParts {
  readonly connector: ConnectorInput;
  readonly variables: Readonly<Record<string, Secret>>;
  readonly notes: readonly string[];
}

/** A command with its environment; secrets in it become references. Throws where a value is missing. */
export function toLocal(
  id: string,
  raw: RawServer & { readonly command: string },
  sources: PlaceholderSources,
  names: VariableNames,
): LocalParts {
  const fill = (text: string, what: string, own: object = {}): Resolved & { readonly text: string } => {
    const leaves = (name: string, isOptional: boolean): boolean =>
      !raw.fillsBareNames ||
      // The process has it, and so may mean itself.
      (!isOptional && sources.environment[name] === undefined && Object.hasOwn(own, name));
    const resolved = resolvePlaceholders(text, { ...sources, leaves });
    if (resolved.text === undefined) throw new Error(`${what} needs ${describeMissing(resolved.missing)}`);
    return { ...resolved, text: resolved.text };
  };
  const filled = Object.entries(raw.env).map(([name, value]) => [name, fill(value, name)] as const);
  const confided = filled.filter(
    ([, { text, names: from, confided: isConfided }]) =>
      isConfided || from.some((word) => looksSecret(word, text)),
  );
  const args = raw.args.map((argument) => fill(argument, 'an argument', raw.env).text);
  const { variables, ...hidden } = hideSecretsOf(
    id,
    {
      args,
      env: Object.fromEntries(filled.map(([name, { text }]) => [name, text])),
      confided: new Set(confided.map(([name]) => name)),
      literal: new Set(
        filled
          .filter(([name, { text }]) => findForeignReference(text, `connectors.${id}.env.${name}`))
          .map(([name]) => name),
      ),
    },
    names,
  );
  return {
    connector: {
      command: fill(raw.command, 'its command').text,
      ...(args.length > 0 && { args: [...hidden.args] }),
      ...(filled.length > 0 && { env: { ...hidden.env } }),
      ...(raw.cwd !== undefined && { cwd: resolve(sources.workspace, fill(raw.cwd, 'its folder').text) }),
      ...(!raw.enabled && { enabled: false }),
      ...(raw.timeoutMs !== undefined && { timeouts: { requestMs: raw.timeoutMs } }),
    },
    variables,
    notes: noteRemote(id, args),
  };
}

/** A local command whose only work is to reach a remote server. */
function noteRemote(id: string, args: readonly string[]): string[] {
  if (!args.some((argument) => /^mcp-remote(?:@|$)/.test(argument))) return [];
  const address = args.find((argument) => /^https?:\/\//.test(argument) && URL.canParse(argument));
  if (address === undefined) return [];
  const { origin, pathname } = new URL(address);
  return [
    `it starts mcp-remote; the hub reaches the server itself with: crosspoint connector add ${id} --url ${origin}${pathname}`,
  ];
}
