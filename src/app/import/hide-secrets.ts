import { Secret } from '../../kernel/index.js';
import { hideArgumentSecrets, type Hide } from './hide-argument-secrets.js';
import { looksSecret } from '../../connectors/index.js';
import { createVariableNames, type VariableNames } from './variable-names.js';

export interface CommandParts {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names in `env` whose values are secrets, whatever they look like. */
  readonly confided?: ReadonlySet<string>;
  /** Names in `env` whose values the configuration file would take for references, though they are plain text. */
  readonly literal?: ReadonlySet<string>;
}

/** The same with references in place of secrets, and the secrets by name. */
export interface HiddenParts {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, Secret>>;
}

/** Of ours, or a whole text that the command itself fills in. */
const REFERENCE = /\$\{(?:env|file):[^}]+\}|^\$\{\w+\}$/;

export function hideSecretsOf(
  id: string,
  { args, env, confided, literal }: CommandParts,
  names: VariableNames,
): HiddenParts {
  const variables: Record<string, Secret> = {};
  const hide: Hide = (wanted, value) => {
    const name = names.nameFor(wanted, id, value);
    variables[name] = new Secret(value);
    return `\${env:${name}}`;
  };
  const isSecret = (name: string, value: string): boolean =>
    value !== '' && !REFERENCE.test(value) && (confided?.has(name) === true || looksSecret(name, value));
  const isHidden = (name: string, value: string): boolean =>
    literal?.has(name) === true || isSecret(name, value);
  return {
    args: hideArgumentSecrets(args, (name, value) => (REFERENCE.test(value) ? value : hide(name, value))),
    env: Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, isHidden(name, value) ? hide(name, value) : value]),
    ),
    variables,
  };
}

/** For a single command. `known` is what `${env:NAME}` gives already. */
export function hideSecrets(
  id: string,
  parts: CommandParts & { readonly known: Readonly<Record<string, string | undefined>> },
): HiddenParts {
  return hideSecretsOf(id, parts, createVariableNames(parts.known));
}
