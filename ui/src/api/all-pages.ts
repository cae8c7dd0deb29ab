interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | undefined;
}

const MOST_PAGES = 50;

/** A list that is short enough to be held whole, page after page. */
export async function allPages<Item>(
  fetchPage: (query: { readonly limit: number; readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items: found, nextCursor } = await fetchPage({
      limit: 200,
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...found);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}
