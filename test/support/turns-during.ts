/** What a piece of work led to, and how often others had their turn meanwhile. */
export async function turnsDuring<Outcome>(
  work: () => Promise<Outcome>,
): Promise<{ readonly turns: number; readonly outcome: Outcome }> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const outcome = await work();
  isOver = true;
  return { turns, outcome };
}
