/** 0 done, 1 failed, 2 usage, 78 configuration (as in sysexits.h). */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_CONFIGURATION = 78;

/** A value that cannot be one is a mistake in the command line, whoever noticed it: here or in the hub. */
export function isUsage(code: string, details: Readonly<Record<string, unknown>> | undefined): boolean {
  return code === 'invalid_request' && details?.['field'] !== undefined;
}
