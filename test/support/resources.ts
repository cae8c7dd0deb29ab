import { afterEach } from 'vitest';

export interface Closable {
  close(): Promise<unknown> | void;
}

/** Closes what a test opened, in the reverse order, whatever became of the test. */
export function closeAfterEach(): <Resource extends Closable>(resource: Resource) => Resource {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close();
  });
  return (resource) => {
    open.push(resource);
    return resource;
  };
}
