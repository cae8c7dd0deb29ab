/** A circle in a directed graph as the list of its nodes, first and last alike; undefined when there is none. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (node: string): readonly string[] | undefined => {
    if (done.has(node)) return undefined;
    const seen = path.indexOf(node);
    if (seen !== -1) return [...path.slice(seen), node];
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(node);
    return undefined;
  };

  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
