import { hasSecretName, isKnownSecret, looksSecret } from '../../connectors/index.js';

/** Puts a secret away under a name and gives the text that refers to it. */
export type Hide = (wantedName: string, value: string) => string;

const FLAG = /^--?([A-Za-z][\w-]*)$/;
const FLAG_WITH_VALUE = /^(--?([A-Za-z][\w-]*)=)(.+)$/s;
const ASSIGNMENT = /^(([A-Za-z_]\w*)=)(.+)$/s;
const HEADER = /^(([A-Za-z][\w-]*):\s*(?:Bearer |Basic )?)(.+)$/is;

/** Arguments of a command with references in place of secrets, whether they stand alone, after a flag or in a pair. */
export function hideArgumentSecrets(args: readonly string[], hide: Hide): string[] {
  return args.map((argument, index) => {
    const flag = FLAG.exec(args[index - 1] ?? '')?.[1];
    for (const pattern of [FLAG_WITH_VALUE, ASSIGNMENT, HEADER]) {
      const [, before = '', name = '', value = ''] = pattern.exec(argument) ?? [];
      if (value !== '' && isHidden(name, value)) return before + hide(name, value);
    }
    if (flag !== undefined && hasSecretName(flag) && looksSecret(flag, argument)) return hide(flag, argument);
    return isKnownSecret(argument) ? hide(flag ?? `argument_${index + 1}`, argument) : argument;
  });
}

function isHidden(name: string, value: string): boolean {
  return !value.startsWith('//') && hasSecretName(name) && looksSecret(name, value);
}
