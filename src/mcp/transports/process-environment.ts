/** Process variables by name. `undefined` keeps a variable out even where Node would add it. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentRequest {
  /** The variables chosen for this child. They win over inherited ones. */
  readonly own: Readonly<Record<string, string>>;
  readonly allowUnsafe: boolean;
  readonly inherited: Environment;
  readonly platform: NodeJS.Platform;
}

export class RefusedEnvironment extends Error {
  override readonly name = 'RefusedEnvironment';
}

/**
 * What a child gets from us unasked: enough to find programs, a home, a place for temporary files, and to print dates
 * and letters as the machine does. `SHELL`, `TERM` and `LOGNAME` are left out: a server without a terminal needs none.
 */
const INHERITED_POSIX = /^(?:PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR)$/;
/** Windows programs fail to start or to open sockets without the first few; names there have no case. */
const INHERITED_WINDOWS =
  /^(?:SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PATH|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|PROCESSOR_ARCHITECTURE|LANG|LC_[A-Z]+|TZ)$/i;

/** Variables by which a loader, an interpreter or a package runner is told to run other code than the command names. */
const UNSAFE = new RegExp(
  `^(?:${[
    'LD_.*|DYLD_.*|GCONV_PATH|GLIBC_TUNABLES|OPENSSL_CONF|OPENSSL_ENGINES|OPENSSL_MODULES',
    'BASH_ENV|ENV|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|ZDOTDIR',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|ELECTRON_RUN_AS_NODE|BUN_OPTIONS',
    'NPM_CONFIG_(?:NODE[-_]OPTIONS|SCRIPT[-_]SHELL|SHELL|PREFIX|USERCONFIG|GLOBALCONFIG)',
    'PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|PYTHONINSPECT|PYTHONBREAKPOINT|PYTHONUSERBASE',
    'PERL5OPT|PERL5LIB|PERL5DB|RUBYOPT|RUBYLIB|LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|DOTNET_ADDITIONAL_DEPS',
    'CORECLR_PROFILER.*|CORECLR_ENABLE_PROFILING|COR_PROFILER.*|COR_ENABLE_PROFILING',
  ].join('|')})$`,
  'i',
);

/** The whole environment of a child. Throws `RefusedEnvironment`; values appear in no message. */
export function buildEnvironment(request: EnvironmentRequest): Environment {
  const windows = request.platform === 'win32';
  const allowed = windows ? INHERITED_WINDOWS : INHERITED_POSIX;
  const own = Object.entries(request.own);
  for (const [name, value] of own) requireSound(name, value, request.allowUnsafe);
  const chosen = new Set(own.map(([name]) => (windows ? name.toUpperCase() : name)));
  // Node hands this one on by itself unless it is named.
  const environment: Record<string, string | undefined> = { NODE_V8_COVERAGE: undefined };
  for (const [name, value] of Object.entries(request.inherited)) {
    if (value === undefined || !allowed.test(name) || chosen.has(windows ? name.toUpperCase() : name))
      continue;
    // Such a value is a shell function to older shells.
    if (!value.startsWith('()')) environment[name] = value;
  }
  for (const [name, value] of own) environment[name] = value;
  return environment;
}

function requireSound(name: string, value: unknown, allowUnsafe: boolean): void {
  if (name === '' || /[=\0]/.test(name))
    throw new RefusedEnvironment('an environment variable has no proper name');
  if (typeof value !== 'string' || value.includes('\0')) {
    throw new RefusedEnvironment(`environment variable ${name} has no proper value`);
  }
  if (!allowUnsafe && (UNSAFE.test(name) || value.startsWith('()'))) {
    throw new RefusedEnvironment(
      `environment variable ${name} is refused: it can make the child run other code`,
    );
  }
}
