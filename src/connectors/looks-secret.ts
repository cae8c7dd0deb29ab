const SECRET_WORDS = new Set([
  'apikey',
  'auth',
  'authorization',
  'bearer',
  'cookie',
  'credential',
  'credentials',
  'dsn',
  'jwt',
  'key',
  'pass',
  'passphrase',
  'passwd',
  'password',
  'pat',
  'private',
  'pwd',
  'secret',
  'secrets',
  'session',
  'signature',
  'token',
  'tokens',
]);
/** What names a place or a switch, whatever the rest of the name says. */
const PLACE = /(?:^|[_-])(?:PATH|FILE|DIR|FOLDER|CREDENTIALS|URL|URI|HOST)$/i;
const FILE_PATH = /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:\\)\S*$/;
const HARMLESS = /^(?:-?\d{1,9}|true|false|yes|no|on|off|none|null|debug|info|warn|error)?$/i;
const KNOWN_PREFIXES =
  /^(?:sk-|pk_|rk_|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|eyJ[\w-]+\.|npm_|hf_|lin_api_|ntn_|ATATT|secret_|shpat_|dop_v1_|SG\.|-----BEGIN)/;
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/:@\s]*:([^/@\s]+)@/i;
/** Long and mixed: what a service generates, not what a person names. */
const GENERATED = /^(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[\w+/=.-]{20,}$/;

/** Whether a value should not stand in a file. Errs on the side of yes: a value that is hidden in vain still works. */
export function looksSecret(name: string, value: string): boolean {
  if (HARMLESS.test(value)) return false;
  if (KNOWN_PREFIXES.test(value) || URL_WITH_PASSWORD.test(value)) return true;
  if (FILE_PATH.test(value) && (PLACE.test(name) || !hasSecretName(name))) return false;
  if (hasSecretName(name)) return !(PLACE.test(name) && URL.canParse(value) && !hasSecretQuery(value));
  return GENERATED.test(value) && !/^[\w-]+(?:\.[\w-]+)+$/.test(value);
}

/** Whether name and value both say so. Of what it finds little is harmless, and some secrets are not found. */
export function isSecretSetting(name: string, value: string): boolean {
  return hasSecretName(name) && looksSecret(name, value);
}

/** The password in an address, as it is written there. */
export function passwordIn(value: string): string | undefined {
  return URL_WITH_PASSWORD.exec(value)?.[1];
}

/** Whether a value gives itself away without a name. */
export function isKnownSecret(value: string): boolean {
  if (KNOWN_PREFIXES.test(value) || URL_WITH_PASSWORD.test(value) || hasSecretQuery(value)) return true;
  return /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]{24,}$/.test(value);
}

export function hasSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word));
}

/** Whether the query of an address carries something that should be secret. */
export function hasSecretQuery(url: string): boolean {
  return (
    URL.canParse(url) && [...new URL(url).searchParams].some(([name, value]) => looksSecret(name, value))
  );
}
