/** What is not given, or given as undefined, is as by default. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T> = {}): T {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
