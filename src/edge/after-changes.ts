/** How something tells whoever listens that it changed; answers how to listen no more. */
export type OnChange = (listener: () => void) => () => void;

/** Changes that come together are looked at together. */
const CALM_MS = 50;

/** Looks at what has changed, a moment after any of these said so. Answers how to stop. */
export function afterChanges(sources: readonly OnChange[], look: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      look();
    }, CALM_MS);
    timer.unref();
  };
  const stops = sources.map((onChange) => onChange(changed));
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
  };
}
