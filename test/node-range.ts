type Version = readonly [number, number, number];

/** Whether a version lies in a range as `engines` uses them: `>=`, `>`, `<`, `<=`, `^`, `~`, `x`, ` - `, spaces and `||`. */
export function allowsVersion(range: string, version: string): boolean {
  const exact = parse(version);
  return range.split('||').some((alternative) => expand(alternative).every((bound) => holds(bound, exact)));
}

interface Bound {
  readonly operator: '>=' | '>' | '<' | '<=';
  readonly version: Version;
}

function holds({ operator, version }: Bound, candidate: Version): boolean {
  const order = candidate[0] - version[0] || candidate[1] - version[1] || candidate[2] - version[2];
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
  }
}

const COMPARATOR = /^(>=|<=|>|<|=|\^|~)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+][\w.+-]*)?$/;

function expand(alternative: string): readonly Bound[] {
  const text = alternative
    .trim()
    .replace(/(\S+)\s+-\s+(\S+)/, '>=$1 <=$2')
    .replaceAll(/([<>=^~])\s+/g, '$1');
  return text === '' ? [] : text.split(/[\s,]+/).flatMap(toBounds);
}

function toBounds(comparator: string): readonly Bound[] {
  const match = COMPARATOR.exec(comparator);
  if (match === null) throw new Error(`not a range: ${comparator}`);
  const [, operator = '=', ...written] = match;
  const parts = written.filter((part) => part !== undefined && /\d/.test(part)).map(Number);
  const from = pad(parts);
  if (parts.length === 0) return [];
  switch (operator) {
    case '>=':
    case '<':
      return [{ operator, version: from }];
    case '>':
      return parts.length === 3 ? [{ operator, version: from }] : [{ operator: '>=', version: after(parts) }];
    case '<=':
      return parts.length === 3 ? [{ operator, version: from }] : [{ operator: '<', version: after(parts) }];
    case '^': {
      const leading = parts.findIndex((part) => part > 0);
      return between(from, after(leading === -1 ? parts : parts.slice(0, leading + 1)));
    }
    case '~':
      return between(from, after(parts.slice(0, 2)));
    default:
      return parts.length === 3
        ? [
            { operator: '>=', version: from },
            { operator: '<=', version: from },
          ]
        : between(from, after(parts));
  }
}

function between(from: Version, to: Version): readonly Bound[] {
  return [
    { operator: '>=', version: from },
    { operator: '<', version: to },
  ];
}

/** The first version that no longer starts with these numbers. */
function after(parts: readonly number[]): Version {
  return pad([...parts.slice(0, -1), (parts.at(-1) ?? 0) + 1]);
}

function pad([major = 0, minor = 0, patch = 0]: readonly number[]): Version {
  return [major, minor, patch];
}

function parse(version: string): Version {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (match === null) throw new Error(`not a version: ${version}`);
  return pad(match.slice(1).map(Number));
}
