import { HubError, isHubError, Secret, type Clock } from '../kernel/index.js';

/** Looks into the keychain of the operating system; throws where there is none. */
export type FindInKeychain = (name: string) => string | undefined;

const PREFIX = 'keychain:';
/** Asking a keychain can take a while, and a value that was changed there should count soon. */
const REMEMBERED_MS = 60_000;

type Values = Readonly<Record<string, Secret>>;

/** Whether one of these values is not what is sent, but names what is. */
export function refersToKeychain(values: Values): boolean {
  return Object.values(values).some((value) => value.reveal().startsWith(PREFIX));
}

/** Values that are not secrets themselves but name one in the keychain (`keychain:NAME`) become what stands there. */
export function createKeychainReferences(
  find: FindInKeychain,
  clock: Clock,
): { resolve(values: Values): Values } {
  const known = new Map<string, { readonly value: Secret; readonly until: number }>();

  function look(name: string): Secret {
    const remembered = known.get(name);
    if (remembered !== undefined && remembered.until > clock.monotonic()) return remembered.value;
    known.delete(name);
    const value = new Secret(requireEntry(find, name));
    known.set(name, { value, until: clock.monotonic() + REMEMBERED_MS });
    return value;
  }

  return {
    resolve(values) {
      const entries = Object.entries(values);
      if (!refersToKeychain(values)) return values;
      return Object.fromEntries(
        entries.map(([field, value]) => {
          const text = value.reveal();
          return [field, text.startsWith(PREFIX) ? look(text.slice(PREFIX.length)) : value];
        }),
      );
    },
  };
}

function requireEntry(find: FindInKeychain, name: string): string {
  try {
    const value = find(name);
    if (value !== undefined) return value;
  } catch (cause) {
    const reason = isHubError(cause) ? cause.message : 'the keychain cannot be used';
    throw new HubError('credential_required', `keychain:${name} cannot be read: ${reason}`, { cause });
  }
  throw new HubError(
    'credential_required',
    `the keychain has no entry ${name}: store it with "crosspoint keychain set ${name}" where the hub runs`,
  );
}
