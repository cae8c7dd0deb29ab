import { isVariableName } from '../sealed-variables.js';

/** Gives secrets the names under which the operator's file refers to them. */
export interface VariableNames {
  /** The name one secret gets: the wanted one, unless that stands for another value already. */
  nameFor(wanted: string, connector: string, value: string): string;
}

/** `known` are the values that names have already, in the environment or in the data folder. */
export function createVariableNames(known: Readonly<Record<string, string | undefined>>): VariableNames {
  const given = new Map<string, string>();
  const isFree = (name: string, value: string): boolean => {
    const before = given.get(name) ?? known[name];
    return isVariableName(name) && (before === undefined || before === value);
  };
  return {
    nameFor(wanted, connector, value) {
      const plain = toName(wanted);
      const own = `${toName(connector)}_${plain}`;
      let name = [plain, own].find((candidate) => isFree(candidate, value)) ?? '';
      for (let number = 2; name === ''; number++) {
        const candidate = `UPSTREAM_${own}_${number}`;
        if (isFree(candidate, value)) name = candidate;
      }
      given.set(name, value);
      return name;
    },
  };
}

function toName(text: string): string {
  const name = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return /^\d/.test(name) || name === '' ? `_${name}` : name;
}
