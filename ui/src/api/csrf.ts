/** The word that proves a write comes from our own page. Kept in memory only. */
let known: Promise<string | undefined> | undefined;

export function setCsrf(find: () => Promise<string | undefined>): void {
  known = find();
}

export async function csrfHeader(): Promise<Readonly<Record<string, string>>> {
  const csrf = await known?.catch(() => undefined);
  return csrf === undefined ? {} : { 'x-csrf-token': csrf };
}
