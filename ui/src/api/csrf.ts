/** How to find the word that proves a write comes from our own page. It is kept in memory only. */
let find: (() => Promise<string | undefined>) | undefined;

export function setCsrf(finder: () => Promise<string | undefined>): void {
  find = finder;
}

export async function csrfHeader(): Promise<Readonly<Record<string, string>>> {
  const csrf = await find?.();
  return csrf === undefined ? {} : { 'x-csrf-token': csrf };
}
