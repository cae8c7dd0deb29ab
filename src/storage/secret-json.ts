import { Secret } from '../kernel/index.js';

type Path = readonly (string | number)[];

/**
 * JSON for a value that contains secrets, which would otherwise print as `[secret]`. They are listed by their place, so
 * that no value of the caller can be mistaken for one. The text is for sealing, never for storing as it is.
 */
export function writeSecretJson(value: unknown): string {
  const secrets: (readonly [Path, string])[] = [];
  return JSON.stringify({ value: withoutSecrets(value, [], secrets), secrets });
}

export function readSecretJson(text: string): unknown {
  const { value, secrets } = JSON.parse(text) as {
    readonly value: unknown;
    readonly secrets: readonly (readonly [Path, string])[];
  };
  const root = { value };
  for (const [path, secret] of secrets) put(root, ['value', ...path], new Secret(secret));
  return root.value;
}

function withoutSecrets(value: unknown, path: Path, secrets: (readonly [Path, string])[]): unknown {
  if (value instanceof Secret) {
    secrets.push([path, value.reveal()]);
    return null;
  }
  if (Array.isArray(value))
    return value.map((item, index) => withoutSecrets(item, [...path, index], secrets));
  if (typeof value !== 'object' || value === null) return value;
  // From entries: a member named `__proto__` stays a member.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutSecrets(member, [...path, name], secrets)]),
  );
}

function put(root: object, path: Path, secret: Secret): void {
  let holder: unknown = root;
  for (const step of path.slice(0, -1))
    holder =
      typeof holder === 'object' && holder !== null
        ? Object.getOwnPropertyDescriptor(holder, step)?.value
        : undefined;
  const last = path.at(-1);
  if (typeof holder !== 'object' || holder === null || last === undefined) return;
  Object.defineProperty(holder, last, {
    value: secret,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
